import { table } from './generated-page.mjs';

/** Clients of which several versions are played the same checks stand in one line. */
function families(clients) {
  const found = new Map();
  for (const client of clients) {
    const family = client.family ?? client.title;
    found.set(family, [...(found.get(family) ?? []), client]);
  }
  return [...found];
}

/** The parts of docs/clients.md that are made from `test/clients/clients.ts`, by name. */
export function clientParts(clients) {
  const rows = families(clients).map(([family, of]) => {
    const [{ needs, onlyByName, command }] = of;
    return [
      family,
      of.map(({ version }) => version).join(', '),
      `\`npm run clients -- ${command}\``,
      needs,
      onlyByName ? `by name alone: ${onlyByName}` : 'yes',
    ];
  });
  const held = families(clients).map(([family, [{ checks }]]) => [`### ${family}`, ...checks.map((check) => `- ${check}`)].join('\n'));
  return {
    clients: table(['Client', 'Version', 'Alone', 'Needs', 'Part of `npm test`'], rows),
    checks: held.join('\n\n'),
  };
}
