# The image of every role: `docker build -t sqlassay .`, then `docker run sqlassay serve --role worker`.
# The first stage installs; the last has neither a compiler nor the sources' history.
# For a newer base: docker buildx imagetools inspect python:3.12-slim-bookworm

ARG BASE=python:3.12-slim-bookworm@sha256:782412e85d0f0984994c290652577d4018aff08145c85b262bb63dc0c7522254

FROM ${BASE} AS build
WORKDIR /build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY deploy/image deploy/image
# the environment has no pip of its own: nothing can be installed into a running container
RUN python -m venv --without-pip /opt/sqlassay \
 && python -m pip install --require-hashes -r deploy/image/build-packages.txt \
 && python -m pip --python /opt/sqlassay/bin/python install --require-hashes -r deploy/image/packages.txt
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY sqlassay sqlassay
COPY scoring scoring
COPY references references
COPY learning learning
COPY consumers consumers
COPY evals evals
COPY service service
COPY migrations migrations
# pip runs with the environment's interpreter, which has no build packages: the wheel is built with this one
RUN python -m pip wheel --no-deps --no-build-isolation --wheel-dir wheels . \
 && python -m pip --python /opt/sqlassay/bin/python install --no-deps --no-build-isolation wheels/sqlassay-*.whl \
 && find /opt/sqlassay -name '__pycache__' -prune -exec rm -rf {} +

FROM ${BASE}
LABEL org.opencontainers.image.title="SQLAssay" \
      org.opencontainers.image.description="Scores live text-to-SQL answers 0-100 with reasons"
RUN groupadd --gid 10001 sqlassay && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin sqlassay
# nothing runs with another's rights
RUN find / -xdev -type f -perm /6000 -exec chmod ug-s {} +
COPY --from=build /opt/sqlassay /opt/sqlassay
# a read-only process cannot keep what it compiles: it would compile every module at each start, for twice the CPU
RUN /opt/sqlassay/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/sqlassay \
    "$(/opt/sqlassay/bin/python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
ENV PATH=/opt/sqlassay/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /tmp
EXPOSE 8321
STOPSIGNAL SIGTERM
ENTRYPOINT ["sqlassay"]
CMD ["serve"]
