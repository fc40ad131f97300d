import { Inject, Injectable, Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { startEventStoreServer, type EventStoreServer, type EventStoreServerOptions } from './event-store-server';

const OPTIONS = Symbol('event store options');

/** Serves the event store for as long as the application runs. */
@Injectable()
export class EventStoreHost implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: EventStoreServer | undefined;

  constructor(@Inject(OPTIONS) private readonly options: EventStoreServerOptions) {}

  /** For the official clients. @throws before the application has started */
  get connectionString(): string {
    if (!this.server) throw new Error('the event store has not been started');
    return this.server.connectionString;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.server = await startEventStoreServer(this.options);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
    this.server = undefined;
  }
}

@Module({})
export class EventStoreModule {
  static with(options: EventStoreServerOptions): DynamicModule {
    return { module: EventStoreModule, providers: [{ provide: OPTIONS, useValue: options }, EventStoreHost], exports: [EventStoreHost] };
  }
}
