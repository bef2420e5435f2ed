"""Work that Ctrl-C ends: in order at first, at once by a second one."""

import signal
import subprocess
import sys
import time

SLOW = """
import asyncio, signal, sys
from ossia.cli.stopped import resumable, stop_with
from ossia.loop import run_in_order

async def work():
    try:
        print("begun", flush=True)
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(float(sys.argv[1]))
        print("put away", flush=True)

def told():
    print("stopping", flush=True)

signal.signal(signal.SIGINT, signal.default_int_handler)
with resumable():
    run_in_order(work(), stop_with(told))
"""


def slow(seconds):
    """Start work that takes so long to be put away, and stop it once."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopping\n", "at once, before anything is put away"
    return process


def test_the_first_ctrl_c_is_told_at_once_and_a_hail_of_them_is_one():
    process = slow(0.4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "put away\n")
    assert err == "stopped; run the same command again to resume\n"


def test_a_second_ctrl_c_ends_at_once():
    process = slow(600)
    time.sleep(0.6)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "\nstopped; run the same command again to resume\n"
