import { parseArgs } from 'node:util';
import { serveEventStore } from './serve-event-store';

/** The event store of `up --split`, as a process that loads nothing else. Its arguments are those of `kubereel event-store`. */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    data: { type: 'string' },
    durability: { type: 'string', default: 'default' },
    'tls-certificate': { type: 'string' },
    'tls-key': { type: 'string' },
    user: { type: 'string' },
  },
});
const { port, data, durability, user } = values;
serveEventStore({
  port,
  data,
  durability,
  user,
  tlsCertificate: values['tls-certificate'],
  tlsKey: values['tls-key'],
  quiet: true,
}).catch((error: unknown) => {
  process.stderr.write(`kubereel event-store: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
