"""OpenAPI documents as files, and what is said of those that are none."""

from __future__ import annotations

import pytest

from squall.documents.document import MAX_SIZE
from squall.drafts import load_openapi
from squall.errors import UsageError


def refusal(path):
    with pytest.raises(UsageError) as caught:
        load_openapi(path)
    return str(caught.value).replace(f"{path.parent}/", "")


@pytest.fixture
def written(tmp_path):
    def write(text, name="api.yaml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("version", ["openapi: 3.0.3", "openapi: 3.1", "swagger: '2.0'", "swagger: 2.0"])
def test_versions_that_are_read(written, version):
    assert load_openapi(written(version)).data


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("openapi: 4.0.0", "api.yaml:1:10: '4.0.0' is no version of openapi that squall reads"),
        ("swagger: 1.2", "api.yaml:1:10: 1.2 is no version of swagger"),
        (
            "info: {}\nopenapy: 3.0.0",
            "api.yaml:2:1: this is no OpenAPI document: there is no key 'openapi' or 'swagger'; did you mean",
        ),
        ("name: shop\nservices: {}", "api.yaml:1:1: this is a world already"),
        ("- 1", "api.yaml:1:1: this is no OpenAPI document"),
        ("a: [", "api.yaml:1:5: this is not valid YAML"),
        ("", "api.yaml:1:1: the file is empty"),
    ],
)
def test_what_is_no_openapi_document_is_said_with_its_place(written, text, said):
    assert refusal(written(text)).startswith(said)


def test_json_is_read(written):
    assert load_openapi(written('{"openapi": "3.0.0"}', "api.json")).data == {"openapi": "3.0.0"}


def test_keys_that_are_bare_numbers_are_read_as_text(written):
    text = "openapi: 3.0.0\nresponses:\n  200:\n    a: { 404: { b: 1 }, 500: {} }\n  default: {}\n"
    assert load_openapi(written(text)).data["responses"] == {"200": {"a": {"404": {"b": 1}, "500": {}}}, "default": {}}


def test_another_key_that_is_no_text_is_still_refused(written):
    assert refusal(written("openapi: 3.0.0\ntrue: 1\n")).startswith("api.yaml:2:1: the key true is not text")


def test_a_document_that_is_too_large_is_told_to_be_cut(written):
    said = refusal(written("openapi: 3.0.0\nx: " + "a" * MAX_SIZE))
    assert said == "api.yaml: the document is larger than 4 MB\n    Cut it down to the paths that you need."


def test_a_file_that_is_not_there_is_said(tmp_path):
    assert "there is no file" in refusal(tmp_path / "none.yaml")
