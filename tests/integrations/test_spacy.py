"""A component of spaCy's pipelines."""

import pytest

import riata
from checks import refused
from riata import Chunker, EntityRecognizer, JointTagger, Tagger
from riata.errors import SettingError, UnsupportedError
from samples import CHUNKS, TAGS, WORDS

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install spacy")

import riata.integrations.spacy_component  # noqa: E402  # an installed Riata is found by its entry point
from serving_help import ENTITIES, NAMES  # noqa: E402

LABELS = [[chunk for _, _, chunk in sentence] for sentence in CHUNKS]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spacy")
    Tagger("perceptron", epochs=3).fit(WORDS, TAGS).save(folder / "tags.riata")
    Chunker("perceptron", epochs=3).fit(WORDS, LABELS).save(folder / "chunks.riata")
    EntityRecognizer("perceptron", epochs=5).fit(NAMES, ENTITIES).save(folder / "names.riata")
    JointTagger("max-violation", epochs=2).fit(CHUNKS).save(folder / "both.riata")
    Chunker("perceptron", epochs=1).fit(CHUNKS).save(folder / "columns.riata")
    return folder


def pipeline(files, *names, **config):
    nlp = spacy.blank("en")
    for name in names:
        nlp.add_pipe("riata", name=name, config={"model": str(files / f"{name}.riata"), **config})
    return nlp


def doc_of(nlp, words):
    return nlp(spacy.tokens.Doc(nlp.vocab, words))


def test_tags_are_those_of_the_model(files):
    doc = doc_of(pipeline(files, "tags"), WORDS[0])
    assert [token.tag_ for token in doc] == riata.load_model(files / "tags.riata").predict(WORDS[:1])[0]


def test_chunks_are_spans_and_entities_are_entities(files):
    nlp = pipeline(files, "chunks", "names")
    doc = doc_of(nlp, ["Ann", "saw", "and", "Bob"])
    model = riata.load_model(files / "names.riata")
    expected = [i for i, tag in enumerate(model.predict([["Ann", "saw", "and", "Bob"]])[0]) if tag == "B-PER"]
    assert [(ent.start, ent.label_) for ent in doc.ents] == [(i, "PER") for i in expected]
    assert expected
    assert "chunks" in doc.spans
    other = doc_of(pipeline(files, "chunks", spans="entities"), WORDS[0])
    mine = doc_of(pipeline(files, "chunks", key="mine"), WORDS[0])
    assert [(e.text, e.label_) for e in other.ents] == [(s.text, s.label_) for s in mine.spans["mine"]]


def test_a_model_of_both_sets_both(files):
    doc = doc_of(pipeline(files, "both"), WORDS[0])
    [pairs] = riata.load_model(files / "both.riata").predict(WORDS[:1])
    assert [token.tag_ for token in doc] == [tag for tag, _ in pairs]
    assert doc.spans["chunks"]


def test_sentences_are_labelled_one_by_one_and_documents_together(files):
    nlp = pipeline(files, "tags")
    nlp.add_pipe("sentencizer", first=True)
    texts = ["The dog barks . A cat sat on it", "", " ", "Cats like the dog"]
    docs = list(nlp.pipe(texts))
    model = riata.load_model(files / "tags.riata")
    expected = [tag for sentence in model.predict([WORDS[0], WORDS[1]]) for tag in sentence]
    assert [token.tag_ for token in docs[0]] == expected
    assert [doc.text for doc in docs] == texts


def test_spaces_are_no_tokens_of_the_model(files):
    doc = pipeline(files, "tags")("The  dog")
    model = riata.load_model(files / "tags.riata")
    assert [token.tag_ for token in doc if not token.is_space] == model.predict([["The", "dog"]])[0]


def test_a_pipeline_is_saved_with_its_model(files, tmp_path):
    nlp = pipeline(files, "tags")
    nlp.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    assert [t.tag_ for t in doc_of(loaded, WORDS[0])] == [t.tag_ for t in doc_of(nlp, WORDS[0])]


def test_what_it_cannot_use_is_refused(files):
    refused(UnsupportedError, "reads 2 columns", pipeline, files, "columns")
    refused(SettingError, "expected auto, chunks or entities", pipeline, files, "tags", spans="words")
    nlp = spacy.blank("en")
    nlp.add_pipe("riata")
    refused(UnsupportedError, "no model", nlp, "The dog")
