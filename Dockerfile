# Keyward in a container: Node and the service, nothing else. It runs as the user `node`, needs no
# writable root (`--read-only --tmpfs /tmp`), and keeps its data in the volume /data.
#
#   docker build -t keyward .
#   docker run --read-only --tmpfs /tmp -v keyward-data:/data -p 127.0.0.1:8080:8080 keyward
#
# Install scripts of packages are not run: those of this repository download a Node and a PostgreSQL for
# its tests. The image has its own Node, of the major version that package.json pins.
ARG NODE_IMAGE=node:26-slim

# The files of the npm package: the server, the pages of the dashboard, the documentation, the licences.
# They are the same on every platform.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY rules/package.json rules/
COPY server/package.json server/
COPY sdk/package.json sdk/
COPY dashboard/package.json dashboard/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY docs docs
COPY clients clients
COPY examples examples
COPY deploy deploy
COPY *.md LICENSE Dockerfile compose.yaml ./
COPY scripts/docs-site.mjs scripts/
COPY scripts/release scripts/release
COPY rules rules
COPY sdk sdk
COPY server server
COPY dashboard dashboard
RUN npm run build && node scripts/release/layout.ts /layout

FROM ${NODE_IMAGE}
WORKDIR /keyward
COPY --from=build /layout ./
RUN ln -s /keyward/server/bin/keyward.mjs /usr/local/bin/keyward \
 && install -d -o node -g node -m 0700 /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 KEYWARD_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
# Checks /healthz, not /readyz: a node that waits for its database must not be restarted.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and receives the signals itself; after SIGTERM it drains and ends within 10 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/keyward/server/bin/keyward.mjs"]
CMD ["serve"]
