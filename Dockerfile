# The server on the embedded store, or on the engines that the settings name. Built in two steps: the second holds
# nothing but the files that `tools/assemble_image.py` puts together, without a shell, a package manager or a compiler.
# docs/how-to/serve.md says how large that is.
FROM python:3.12-slim-bookworm AS build
# `strip`, for the symbols that some wheels carry.
RUN apt-get update && apt-get install --yes --no-install-recommends binutils && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
ARG EXTRAS=server,local,mcp,postgres,redis,proxy
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --no-compile --disable-pip-version-check ".[${EXTRAS}]"
COPY tools/assemble_image.py ./
RUN /venv/bin/python assemble_image.py /venv /image && mkdir --parents --mode 0700 /homes/rememora

FROM scratch
COPY --from=build /image /
COPY --from=build --chown=10001:10001 /homes/ /var/lib/
ENV PATH=/venv/bin \
    HOME=/var/lib/rememora \
    LANG=C.UTF-8 \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    REMEMORA_STORE_URL=/var/lib/rememora/store \
    REMEMORA_SERVER_HOST=0.0.0.0
USER 10001:10001
WORKDIR /var/lib/rememora
VOLUME /var/lib/rememora
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8787/api/v1/health/ready', timeout=2)"]
ENTRYPOINT ["rememora"]
CMD ["serve"]
