import type { Command } from 'commander';
import { completionCommand } from './completion.command';
import { envtestAssetsCommand } from './envtest-assets.command';
import { eventStoreCommand } from './event-store.command';
import { logCommand } from './log.command';
import { nodeCommand } from './node.command';
import { resetCommand } from './reset.command';
import { sealCommand } from './seal.command';
import { simulateCommand } from './simulate.command';
import { tourCommand } from './tour.command';
import { upCommand } from './up.command';
import { verifyCommand } from './verify.command';
import { whyCommand } from './why.command';

/** Every command, in the order of the help page. */
export const commands: readonly (() => Command)[] = [
  tourCommand,
  upCommand,
  logCommand,
  whyCommand,
  verifyCommand,
  sealCommand,
  nodeCommand,
  simulateCommand,
  resetCommand,
  eventStoreCommand,
  envtestAssetsCommand,
  completionCommand,
];
