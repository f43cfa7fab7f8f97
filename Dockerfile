# Stepgate in a container. Build the executable first (npm ci && npm run package), on Linux and for the image's processor:
#   docker build -t stepgate . && docker run -d -p 127.0.0.1:7717:7717 -v stepgate:/data stepgate
# Everything is set by the environment: STEPGATE_… for each setting (stepgate config list), STEPGATE_MASTER_KEY for the key.
# Debian 12 or newer: the native modules need glibc 2.34 and the libstdc++ of GCC 12.
FROM debian:12-slim
# The one library that Node needs and the image lacks.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libatomic1 \
 && rm -rf /var/lib/apt/lists/*
RUN groupadd --system --gid 10001 stepgate \
 && useradd --system --uid 10001 --gid stepgate --home-dir /data --no-create-home --shell /usr/sbin/nologin stepgate \
 && install -d -m 0700 -o stepgate -g stepgate /data
COPY --chmod=0755 dist/stepgate /usr/local/bin/stepgate
USER stepgate
ENV STEPGATE_HOME=/data STEPGATE_HOST=0.0.0.0 STEPGATE_PORT=7717
VOLUME /data
EXPOSE 7717
# Over the control socket, which needs neither a key nor the port.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["stepgate", "status", "-q"]
STOPSIGNAL SIGTERM
# A drain takes 35 s: docker stop --time 40
ENTRYPOINT ["stepgate"]
CMD ["serve", "--log-format", "json"]
