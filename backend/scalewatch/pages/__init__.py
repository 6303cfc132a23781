"""HTML over HTTP: call one service, render one template."""
