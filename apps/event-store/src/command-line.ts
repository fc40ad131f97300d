import { parseArgs } from 'node:util';
import { checkOptions } from '#libs/validation';
import { EventStoreOptions } from './event-store-options';
import { secureOptions } from './secure-options';
import type { EventStoreServerOptions } from './server-options';

export const USAGE = `event-store: serves an event store by EventStoreDB's own protocol

  --port NUMBER        default 2113; 0: any free one
  --host ADDRESS       default 127.0.0.1
  --tls-certificate FILE  PEM; with it the protocol is served over TLS, to those alone who name a user and password
  --tls-key FILE       PEM
  --user NAME          who that is, default admin
  --password-file FILE  that user's password, or KUBEREEL_STORE_PASSWORD in the environment
  --data FOLDER        where the events are kept, default ./.kubereel/log
  --ephemeral          keep them in memory only
  --durability KIND    default: survives kill -9; full: survives the loss of power
`;

const PORT_DEFAULT = 2113;
const FOLDER_DEFAULT = './.kubereel/log';

/** @throws Error that says in words what is wrong */
export function optionsOf(args: string[]): EventStoreServerOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      ephemeral: { type: 'boolean' },
      durability: { type: 'string' },
      'tls-certificate': { type: 'string' },
      'tls-key': { type: 'string' },
      user: { type: 'string' },
      'password-file': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const options = { ...values } as EventStoreOptions;
  checkOptions(EventStoreOptions, options, '--');
  if (values.ephemeral && values.data !== undefined) throw new Error('--ephemeral and --data exclude each other');
  const secure = secureOptions({
    tlsCertificate: values['tls-certificate'],
    tlsKey: values['tls-key'],
    user: values.user,
    passwordFile: values['password-file'],
  });
  const port = Number(options.port ?? PORT_DEFAULT);
  const { durability = 'default' } = options;
  return { port, host: values.host, folder: values.ephemeral ? undefined : (values.data ?? FOLDER_DEFAULT), durability, ...secure };
}
