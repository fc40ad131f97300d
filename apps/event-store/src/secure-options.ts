import { readFileSync } from 'node:fs';
import type { StoreUser } from './access';
import type { ServerTls } from './server-options';

/** Flags that name files; what is secret never stands on a command line, where every user of the machine can read it. */
export interface SecureFlags {
  tlsCertificate?: string;
  tlsKey?: string;
  user?: string;
  passwordFile?: string;
}

/** Holds the password of `--user` where no `--password-file` names one. */
export const PASSWORD_VARIABLE = 'KUBEREEL_STORE_PASSWORD';
const USER_DEFAULT = 'admin';

function read(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${flag} ${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** TLS and its one user, an administrator, or neither. @throws Error that says in words what is missing */
export function secureOptions(flags: SecureFlags, env: NodeJS.ProcessEnv = process.env): { tls?: ServerTls; users?: StoreUser[] } {
  const { tlsCertificate, tlsKey, user, passwordFile } = flags;
  if (!tlsCertificate && !tlsKey) {
    if (user !== undefined || passwordFile !== undefined)
      throw new Error('--user and --password-file need TLS: name --tls-certificate and --tls-key too');
    return {};
  }
  if (!tlsCertificate || !tlsKey) throw new Error('--tls-certificate and --tls-key go together');
  const password = passwordFile === undefined ? env[PASSWORD_VARIABLE] : read('--password-file', passwordFile).replace(/\r?\n$/, '');
  if (!password) throw new Error(`with TLS a password is asked of everybody: name it by --password-file or in ${PASSWORD_VARIABLE}`);
  return {
    tls: { certificate: read('--tls-certificate', tlsCertificate), key: read('--tls-key', tlsKey) },
    users: [{ name: user ?? USER_DEFAULT, password }],
  };
}
