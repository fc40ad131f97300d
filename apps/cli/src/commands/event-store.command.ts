import { Command } from 'commander';

interface EventStoreFlags {
  port: string;
  data?: string;
  ephemeral?: boolean;
  durability: string;
  quiet?: boolean;
}

export function eventStoreCommand(): Command {
  return new Command('event-store')
    .description('Serve the event store alone, over EventStoreDB\'s own protocol.')
    .option('--port <number>', 'port to listen on, 0 for any that is free', '2113')
    .option('--data <folder>', 'where the log is kept (default: ./.kubereel/log)')
    .option('--ephemeral', 'keep the log in memory')
    .option('--durability <kind>', 'default: survives kill -9; full: survives power loss', 'default')
    .option('--quiet', 'print nothing')
    .action(async (flags: EventStoreFlags) => {
      const { serveEventStore } = await import('../event-store/serve-event-store.js');
      await serveEventStore(flags);
    });
}
