import { resolve } from 'node:path';
import { secureOptions, startEventStoreServer, type SecureFlags } from '#apps/event-store';
import { LogLockedError } from '#libs/event-log';
import { supervision } from '#libs/process';
import { CliError } from '../cli-error';
import { outliveReader } from '../terminal/closed-pipe';
import { defaultDataFolder, logFolderOf, makeDataFolder } from '../up/data-folder';

interface Flags extends SecureFlags {
  port: string;
  data?: string;
  ephemeral?: boolean;
  durability: string;
  quiet?: boolean;
}

function secured(flags: SecureFlags): ReturnType<typeof secureOptions> {
  try {
    return secureOptions(flags);
  } catch (error) {
    throw new CliError((error as Error).message, 'kubereel event-store --help tells the flags.', 2);
  }
}

/** `kubereel event-store`: the store alone, for apps in other processes and for any program with the official client. */
export async function serveEventStore(flags: Flags): Promise<void> {
  const port = Number(flags.port);
  if (!/^\d+$/.test(flags.port) || port > 65_535)
    throw new CliError(`--port: "${flags.port}" is no port`, 'A number from 0 to 65535; 0 takes any free one.', 2);
  if (flags.durability !== 'default' && flags.durability !== 'full')
    throw new CliError(`--durability: "${flags.durability}" is not known`, 'default or full', 2);
  const folder = flags.ephemeral ? undefined : resolve(flags.data ?? logFolderOf(defaultDataFolder));
  const secure = secured(flags);
  outliveReader();
  if (folder !== undefined) makeDataFolder(folder);
  const supervisor = supervision();
  const server = await startEventStoreServer({ port, folder, durability: flags.durability, ...secure }).catch((error: unknown) => {
    if (error instanceof LogLockedError)
      throw new CliError(`${folder} is in use by process ${error.holderPid}`, 'Stop it, or name another folder with --data.');
    throw error;
  });
  if (!flags.quiet) process.stdout.write(`kubereel event-store: ${folder ?? 'in memory'}\n${server.connectionString}\n`);
  process.send?.({ ready: true, port: server.port });
  supervisor.closeWith(() => server.close());
}
