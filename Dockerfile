# The server on the embedded store, or on the engines that the settings name. Built in two steps, so that the image
# holds no compiler, no package cache and no source. Compressed, as a registry counts and a pull transfers it, it is less
# than 250 MB: the environment of these extras comes to 90 MB (measured by tar and gzip), the base image is published
# with 45 MB. Unpacked they take 254 MB (measured) and about 125 MB.
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
ARG EXTRAS=server,local,mcp,postgres,redis,proxy
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --disable-pip-version-check ".[${EXTRAS}]" \
    && find /venv -name __pycache__ -type d -prune -exec rm -rf {} + \
    && /venv/bin/pip uninstall --yes --quiet pip

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/rememora rememora
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    REMEMORA_STORE_URL=/var/lib/rememora/store \
    REMEMORA_SERVER_HOST=0.0.0.0
USER rememora
WORKDIR /var/lib/rememora
VOLUME /var/lib/rememora
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8787/api/v1/health/ready', timeout=2)"]
ENTRYPOINT ["rememora"]
CMD ["serve"]
