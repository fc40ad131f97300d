import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { optionsOf, USAGE } from './command-line';
import { EventStoreHost, EventStoreModule } from './event-store.module';

async function main(): Promise<void> {
  const options = optionsOf(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const app = await NestFactory.createApplicationContext(EventStoreModule.with(options), { logger: false, abortOnError: false });
  app.enableShutdownHooks();
  // Without the process that supervises it the store is of no use to anybody.
  process.once('disconnect', () => void app.close());
  const { connectionString } = app.get(EventStoreHost);
  process.stdout.write(`event store: ${connectionString} (${options.folder ?? 'in memory'})\n`);
  process.send?.({ ready: true, connectionString });
}

main().catch((error: unknown) => {
  process.stderr.write(`event-store: ${(error as Error).message}\n`);
  process.exitCode = 1;
});
