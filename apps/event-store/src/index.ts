export * from './event-store-server';
