# One image for every app of kubereel; docker-compose.yml names the command of each.
FROM node:22.21.1-bookworm-slim AS build
WORKDIR /kubereel
COPY . .
RUN npm ci --no-audit --no-fund && npm prune --omit=dev --ignore-scripts

FROM node:22.21.1-bookworm-slim
WORKDIR /kubereel
ENV NODE_ENV=production
COPY --from=build /kubereel/package.json ./
COPY --from=build /kubereel/node_modules ./node_modules
COPY --from=build /kubereel/dist ./dist
COPY --from=build /kubereel/docker ./docker
USER node
CMD ["node", "dist/apps/cli/src/main.js", "--help"]
