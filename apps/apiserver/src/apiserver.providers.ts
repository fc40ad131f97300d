import { Logger, type Provider } from '@nestjs/common';
import { ApiserverOptions, AppOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import { ApiHandler } from './api-handler';
import { Authenticator } from './authentication/authenticator';
import { DerivedEventWriter } from './events-api/derived-event-writer';
import { ApiServer } from './http/api-server';
import { handOverSoon } from './serving/hand-over-soon';
import { LiveCluster } from './serving/live-cluster';

/** The options of this app. @throws Error where there are none */
export function apiserverOptions({ apiserver }: AppOptions): ApiserverOptions {
  if (!apiserver) throw new Error('the API server has no settings: where to listen, its certificate, the token of its administrator');
  return apiserver;
}

/** Why the log cannot be read or written now; undefined when it can. */
function troubleOf(runtime: ClusterRuntime): () => Promise<string | undefined> {
  let lost: string | undefined;
  runtime.lost$.subscribe((error) => (lost = error.message));
  return async () => {
    const availability = await runtime.options.log.check();
    return lost ?? (availability.available ? undefined : availability.reason);
  };
}

/** From the window on the log to the server, each part made of those before it. */
export const apiserverProviders: Provider[] = [
  { provide: ApiserverOptions, inject: [AppOptions], useFactory: apiserverOptions },
  {
    provide: LiveCluster,
    inject: [ClusterRuntime, Writer, ApiserverOptions],
    useFactory: (runtime: ClusterRuntime, writer: Writer, { compaction }: ApiserverOptions) =>
      new LiveCluster(runtime, writer, undefined, compaction, handOverSoon),
  },
  { provide: Authenticator, inject: [ApiserverOptions], useFactory: ({ token }: ApiserverOptions) => new Authenticator(token) },
  {
    provide: ApiHandler,
    inject: [ClusterRuntime, LiveCluster, Writer, Authenticator, ApiserverOptions],
    useFactory: (
      runtime: ClusterRuntime,
      live: LiveCluster,
      writer: Writer,
      authenticator: Authenticator,
      { apps = [] }: ApiserverOptions,
    ) =>
      new ApiHandler({
        runtime,
        live,
        writer: new DerivedEventWriter(writer, live),
        tokenUser: (token) => authenticator.authenticate(`Bearer ${token}`),
        trouble: troubleOf(runtime),
        apps,
      }),
  },
  {
    provide: ApiServer,
    inject: [ApiserverOptions, ApiHandler, Authenticator],
    useFactory: (options: ApiserverOptions, handler: ApiHandler, authenticator: Authenticator) => {
      const logger = new Logger('apiserver');
      return new ApiServer(options, handler, authenticator, (error) => logger.error(error.stack ?? error.message));
    },
  },
];
