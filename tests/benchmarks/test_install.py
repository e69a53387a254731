"""The peers to install are those of the extra `bench`, and one that does not install stops nothing."""

from benchmarks import install


def test_the_peers_are_those_of_the_extra(monkeypatch):
    found = [
        "numpy>=1.24",
        'vowpalwabbit<10,>=9; extra == "bench"',
        "pytest>=8; extra == 'test'",
        "a==1; extra == 'bench'",
    ]
    monkeypatch.setattr(install, "requires", lambda name: found)
    assert install.peers() == ["vowpalwabbit<10,>=9", "a==1"]


def test_a_peer_that_does_not_install_is_told_and_the_next_is_tried(capsys):
    tried = []
    install.install(["gone==1", "there==2"], lambda peer: tried.append(peer) or peer != "gone==1")
    assert tried == ["gone==1", "there==2"]
    assert capsys.readouterr().err == "gone==1 did not install; its contestants will not run.\n"
