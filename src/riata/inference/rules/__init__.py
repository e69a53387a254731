"""Rules on outputs: the form between the constraints that users declare and the decoders that keep them."""
