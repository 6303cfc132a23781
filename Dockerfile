# BASE is any image with Python 3.11 or newer and venv; PIP_CERT names a certificate
# inside the build, for networks whose proxy has one of its own.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
ARG PIP_CERT
ARG PIP_INDEX_URL
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
RUN python3 -m venv /opt/scalewatch
COPY constraints.txt ./
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY backend backend
COPY bench_agent bench_agent
COPY frontend frontend
COPY migrations migrations
RUN /opt/scalewatch/bin/pip install --constraint constraints.txt ".[server]"
# What trims plotly.js is not part of the image.
RUN /opt/scalewatch/bin/pip install --constraint constraints.txt --target /trim \
        tree-sitter tree-sitter-javascript \
    && PYTHONPATH=/trim /opt/scalewatch/bin/python frontend/trim_plotly.py

FROM ${BASE}
RUN useradd --system --home-dir /var/lib/scalewatch --create-home scalewatch \
    && chmod 700 /var/lib/scalewatch
COPY --from=build /opt/scalewatch /opt/scalewatch
ENV PATH=/opt/scalewatch/bin:$PATH PYTHONUNBUFFERED=1
USER scalewatch
WORKDIR /var/lib/scalewatch
EXPOSE 8000
CMD ["scalewatch", "serve", "--host", "0.0.0.0", "--first-token"]
