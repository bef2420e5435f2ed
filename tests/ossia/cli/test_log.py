"""What Ossia logs: nothing that an endpoint says steers a terminal."""

import logging

from ossia.cli.log import log_visibly


def test_warnings_are_written_out_where_no_log_is_asked_for():
    log_visibly()
    said = "HTTP 500: \x1b]0;mine\x07\x1b[2J\u202e"
    record = logging.LogRecord("ossia_servers", logging.WARNING, "", 0, "%s", (said,), None)
    assert logging.lastResort.format(record) == r"HTTP 500: \u001b]0;mine\u0007\u001b[2J\u202e"
