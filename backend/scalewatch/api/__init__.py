"""JSON over HTTP, below /api/v1: parse, call one service, answer."""
