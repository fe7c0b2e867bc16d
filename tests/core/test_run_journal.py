"""Journals: whatever is torn or damaged is never a record, and nothing whole is lost."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.errors import UserError
from fourdcb.evaluation.runs.folder import RunFolder, alone_in, file_name
from fourdcb.work.journal import Journal, journal_line, read_journal


def _write(path, records):
    with Journal(path) as journal:
        journal.append(records)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=6)), min_size=1, max_size=5
    ),
    st.data(),
)
def test_a_journal_cut_at_any_byte_holds_whole_records_only(tmp_path_factory, records, data):
    path = tmp_path_factory.mktemp("journal") / "j.jsonl"
    _write(path, records)
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    kept = read_journal(path).records
    assert list(kept) == records[: len(kept)]
    _write(path, [{"new": 1}])
    assert list(read_journal(path).records) == [*kept, {"new": 1}]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_flipped_byte_never_makes_another_record(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("journal") / "j.jsonl"
    records = [{"sample": f"s{k}", "value": k / 7} for k in range(4)]
    _write(path, records)
    raw = bytearray(path.read_bytes())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(raw))
    assert all(record in records for record in read_journal(path).records)


def test_a_damaged_line_is_told_and_kept_aside(tmp_path, caplog):
    path = tmp_path / "j.jsonl"
    _write(path, [{"a": 1}, {"b": 2}, {"c": 3}])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"b": 7, "crc32": 1}\n' + lines[2])
    with Journal(path) as journal:
        assert list(journal.records) == [{"a": 1}, {"c": 3}]
    assert "damaged line(s) 2" in caplog.text
    assert b'"b": 7' in (tmp_path / "j.jsonl.damaged").read_bytes()
    assert path.read_bytes() == lines[0] + lines[2]


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        journal.append([{"a": 1}])
        before = path.read_bytes()
        written = []

        class Full:
            def write(self, view):
                if written:
                    raise OSError(28, "No space left on device")
                written.append(1)
                os.write(journal_handle, bytes(view[:5]))
                return 5

            def fileno(self):
                return journal_handle

            def close(self):
                return None

        journal_handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        real, journal._stream = journal._stream, Full()
        with pytest.raises(UserError, match="No space left"):
            journal.append([{"b": 2}])
        journal._stream = real
        os.close(journal_handle)
        assert path.read_bytes() == before
        journal.append([{"c": 3}])
    assert list(read_journal(path).records) == [{"a": 1}, {"c": 3}]


def test_lines_are_canonical():
    assert journal_line({"b": 1, "a": 2.5}) == journal_line({"a": 2.5, "b": 1})


def test_a_second_process_is_refused(tmp_path):
    code = (
        "import sys; from pathlib import Path; from fourdcb.evaluation.runs.folder import *\n"
        "with alone_in(RunFolder(Path(sys.argv[1]))): pass"
    )
    import sys

    with alone_in(RunFolder(tmp_path)):
        ended = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
        assert ended.returncode != 0
        assert f"another process works on this run\n  got: process {os.getpid()}" in ended.stderr
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)]).returncode == 0


@given(st.text(min_size=1, max_size=300))
def test_any_sample_id_has_a_safe_file_name_of_its_own(name):
    found = file_name(name)
    assert 0 < len(found.encode()) <= 120
    assert "/" not in found
    assert found not in (".", "..")
    assert file_name(name + "x") != found
