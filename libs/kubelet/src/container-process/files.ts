/** Bytes that the files of one container hold in all. */
export const filesMax = 16 * 1024 * 1024;

/** A volume: its files by their path in it, looked up when first asked for. */
export type Mount = () => ReadonlyMap<string, string>;

const nothing = Buffer.alloc(0);
const usualFolders = [
  '/ /bin /dev /etc /home /lib /mnt /opt /proc /root /run /sbin /srv /sys /tmp',
  '/usr /usr/bin /usr/lib /usr/local /usr/local/bin /usr/sbin /usr/share',
  '/var /var/cache /var/lib /var/log /var/run /var/tmp',
].flatMap((line) => line.split(' '));

/** The files of a simulated container: a few that every container has, its volumes, and what programs write; all in memory. */
export class Files {
  /** Pieces that are put together when they are read. */
  private readonly contents = new Map<string, Buffer[]>();
  private readonly folders = new Set(usualFolders);
  private readonly mounts = new Map<string, Mount>();
  private bytes = 0;
  /** Times that something has changed. */
  changes = 0;
  /** Somebody asked for what is not here: the container's image may have it. */
  hasMissed = false;

  constructor(given: Iterable<readonly [path: string, text: string]> = []) {
    for (const [path, text] of given) this.put(path, text);
  }

  /** A volume at a path. */
  mount(path: string, volume: Mount): void {
    this.makeFolder(path);
    this.mounts.set(path, volume);
  }

  read(path: string): Buffer | undefined {
    this.load(path);
    if (path === '/dev/null') return nothing;
    const pieces = this.contents.get(path);
    if (!pieces) {
      this.hasMissed ||= !this.folders.has(path);
      return undefined;
    }
    if (pieces.length !== 1) pieces.splice(0, pieces.length, Buffer.concat(pieces));
    return pieces[0];
  }

  isFolder(path: string): boolean {
    this.load(path);
    this.hasMissed ||= !this.folders.has(path) && !this.contents.has(path);
    return this.folders.has(path);
  }

  exists(path: string): boolean {
    return this.read(path) !== undefined || this.folders.has(path);
  }

  /** Why it could not be written; undefined: it was. */
  write(path: string, text: string | Buffer, adds = false): string | undefined {
    if (path === '/dev/null') return undefined;
    this.load(path);
    if (this.folders.has(path)) return 'Is a directory';
    if (!this.isFolder(parentOf(path))) return 'No such file or directory';
    const pieces = adds ? this.contents.get(path) : undefined;
    const freed = pieces ? 0 : sizeOf(this.contents.get(path));
    const added = Buffer.from(text);
    if (this.bytes - freed + added.length > filesMax) return 'No space left on device';
    if (!pieces) this.put(path, added);
    else {
      pieces.push(added);
      this.bytes += added.length;
      this.changes++;
    }
    return undefined;
  }

  makeFolder(path: string): void {
    for (let folder = path; !this.folders.has(folder); folder = parentOf(folder)) this.folders.add(folder);
  }

  /** With everything in it. */
  remove(path: string): void {
    for (const name of this.contents.keys()) if (name === path || name.startsWith(`${path}/`)) this.drop(name);
    for (const name of this.folders) if (name === path || name.startsWith(`${path}/`)) this.folders.delete(name);
  }

  /** Names in a folder, in their order. */
  list(folder: string): string[] {
    this.load(folder);
    const prefix = folder === '/' ? '/' : `${folder}/`;
    const names = new Set<string>();
    for (const path of [...this.contents.keys(), ...this.folders])
      if (path.startsWith(prefix) && path !== folder) names.add(path.slice(prefix.length).split('/')[0] as string);
    return [...names].sort();
  }

  /** What a volume has was there before: that it is looked up changes nothing. */
  private load(path: string): void {
    const { changes } = this;
    for (const [at, volume] of this.mounts) {
      if (path !== at && !path.startsWith(`${at}/`)) continue;
      this.mounts.delete(at);
      for (const [name, text] of volume()) {
        const full = name === '' ? at : `${at}/${name}`;
        if (name === '') this.folders.delete(at);
        this.makeFolder(parentOf(full));
        if (!this.contents.has(full)) this.put(full, text);
      }
    }
    this.changes = changes;
  }

  private put(path: string, text: string | Buffer): void {
    this.makeFolder(parentOf(path));
    this.drop(path);
    const bytes = Buffer.from(text);
    this.contents.set(path, [bytes]);
    this.bytes += bytes.length;
  }

  private drop(path: string): void {
    this.changes++;
    this.bytes -= sizeOf(this.contents.get(path));
    this.contents.delete(path);
  }
}

function sizeOf(pieces: readonly Buffer[] = []): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** The path from the root, without `.` and `..`. */
export function fullPath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
