from __future__ import annotations

import multiprocessing.process
import os
import subprocess
import sys
import threading

import pytest

from squall.clock.children import Children, lives


@pytest.fixture
def child():
    with subprocess.Popen([sys.executable, "-Sc", "input()"], stdin=subprocess.PIPE) as child:
        yield child
        if child.stdin and not child.stdin.closed:
            child.communicate(b"\n")


@pytest.fixture
def processes(monkeypatch):
    processes: set[Process] = set()
    monkeypatch.setattr(multiprocessing.process, "_children", processes)
    return processes


class Process:
    """One of multiprocessing's."""

    def __init__(self, pid):
        self.pid = pid


def ended():
    child = subprocess.Popen([sys.executable, "-Sc", ""], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout:
        child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    return child


def test_a_child_counts_while_it_lives(child):
    children = Children()
    assert not children.live()
    children.born(child)
    assert children.live()
    child.communicate(b"\n")
    assert not children.live()


def test_a_child_that_has_ended_does_not_count_and_is_left_to_be_reaped():
    children, child = Children(), ended()
    children.born(child)
    assert not children.live()
    assert child.wait() == 0
    assert not lives(child.pid)


def test_multiprocessings_children_count_unless_they_were_there_before(child, processes):
    children = Children()
    processes.add(Process(pid=child.pid))
    assert children.live()
    children.begin()
    assert not children.live()
    processes.add(Process(pid=child.pid))
    assert children.live()
    child.communicate(b"\n")
    assert not children.live()


def test_workers_of_a_pool_of_processes_do_not_count(child, processes, monkeypatch):
    children = Children()
    processes.add(Process(pid=child.pid))
    manager = type("Manager", (), {"__module__": "concurrent.futures.process", "processes": {child.pid: None}})()
    monkeypatch.setattr(threading, "enumerate", lambda: [manager])
    assert not children.live()


def test_where_children_cannot_be_looked_at_they_count_until_they_are_reaped(monkeypatch):
    children, child = Children(), ended()
    children.born(child)
    monkeypatch.delattr(os, "waitid")
    assert children.live()
    child.wait()
    assert not children.live()
