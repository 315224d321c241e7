"""Who is inside a store, and how that is found out."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import pytest

from privopt.ledger.stores.sqlite.visits import Visit

# A thread's own storage in a ring: freeing it needs the lock under which Python lists the frames.
_GARBAGE = """
import gc, sys, threading
from privopt.ledger.stores.sqlite.visits import Visit

stop = threading.Event()
other = threading.Thread(target=stop.wait)
other.start()
visit = Visit(other.ident, sys._getframe())
kept = [{} for _ in range(1000)]  # so that the list of frames is a new dict, not a used one
for allowed in range(1, 100):  # the collection strikes at one allocation after the other
    gc.collect()
    ring = [threading.local()]
    ring.append(ring)
    del ring
    gc.set_threshold(allowed)
    assert not visit.goes_on
    gc.set_threshold(0)
stop.set()
"""


@pytest.mark.long
def test_garbage_that_needs_the_list_of_threads_does_not_stop_everything() -> None:
    """Without care this waits for itself for ever; two minutes are for ever."""
    subprocess.run([sys.executable, "-c", _GARBAGE], check=True, timeout=600)


def test_a_visit_goes_on_as_long_as_its_frame_is_on_the_stack() -> None:
    inside, leave, frames = threading.Event(), threading.Event(), []

    def visiting() -> None:
        frames.append(sys._getframe())
        inside.set()
        leave.wait()

    thread = threading.Thread(target=visiting)
    thread.start()
    inside.wait()
    visit = Visit(thread.ident or 0, frames[0])
    assert visit.goes_on
    leave.set()
    thread.join()
    assert not visit.goes_on
    here = Visit(threading.get_ident(), sys._getframe())
    assert here.goes_on
    assert gc.isenabled()
