import type { Command } from 'commander';
import { eventStoreCommand } from './event-store.command';
import { logCommand } from './log.command';
import { upCommand } from './up.command';

/** Every command, in the order of the help page. */
export const commands: readonly (() => Command)[] = [upCommand, logCommand, eventStoreCommand];
