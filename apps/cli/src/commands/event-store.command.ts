import { Command } from 'commander';

interface EventStoreFlags {
  port: string;
  data?: string;
  ephemeral?: boolean;
  durability: string;
  tlsCertificate?: string;
  tlsKey?: string;
  user?: string;
  passwordFile?: string;
  quiet?: boolean;
}

export function eventStoreCommand(): Command {
  return new Command('event-store')
    .description("Serve the event store alone, over EventStoreDB's own protocol.")
    .option('--port <number>', 'port to listen on, 0 for any that is free', '2113')
    .option('--data <folder>', 'where the log is kept (default: ./.kubereel/log)')
    .option('--ephemeral', 'keep the log in memory')
    .option('--durability <kind>', 'default: survives kill -9; full: survives power loss', 'default')
    .option('--tls-certificate <file>', 'serve over TLS, with this certificate (PEM), to those alone who name a user and password')
    .option('--tls-key <file>', "the certificate's key (PEM)")
    .option('--user <name>', 'who may use the store over TLS (default: admin)')
    .option('--password-file <file>', "that user's password, or KUBEREEL_STORE_PASSWORD in the environment")
    .option('--quiet', 'print nothing')
    .action(async (flags: EventStoreFlags) => {
      const { serveEventStore } = await import('../event-store/serve-event-store.js');
      await serveEventStore(flags);
    });
}
