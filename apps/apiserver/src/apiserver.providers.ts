import { Logger, type Provider } from '@nestjs/common';
import { AccountKeys, ApiserverOptions, AppOptions, type AuditOptions } from '#libs/app-shell';
import { ClusterRuntime, Writer } from '#libs/control-loop';
import { Aggregation } from './aggregation/aggregation';
import { ApiHandler } from './api-handler';
import { accessTo } from './authentication/access';
import type { Auditor } from './audit/auditor';
import { AccountTokens } from './authentication/account-tokens';
import { Authenticator } from './authentication/authenticator';
import { ClientCertificates } from './authentication/client-certificates';
import { DerivedEventWriter } from './events-api/derived-event-writer';
import { ApiServer } from './http/api-server';
import { handOverSoon } from './serving/hand-over-soon';
import { filesBelow } from './serving/host-files';
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

/** Few processes are asked to record requests. */
async function auditorOf(options: AuditOptions, clock: ClusterRuntime['clock']): Promise<Auditor> {
  const { openAuditor } = await import('./audit/open-auditor.js');
  return openAuditor(options, () => clock.now());
}

/** From the window on the log to the server, each part made of those before it. */
export const apiserverProviders: Provider[] = [
  { provide: ApiserverOptions, inject: [AppOptions], useFactory: apiserverOptions },
  {
    provide: LiveCluster,
    inject: [ClusterRuntime, Writer, ApiserverOptions],
    useFactory: (runtime: ClusterRuntime, writer: Writer, { compaction, kwokFiles }: ApiserverOptions) =>
      new LiveCluster(runtime, writer, undefined, compaction, handOverSoon, kwokFiles === undefined ? undefined : filesBelow(kwokFiles)),
  },
  {
    provide: AccountTokens,
    inject: [AccountKeys, ClusterRuntime, AppOptions],
    useFactory: (keys: AccountKeys, { state, clock }: ClusterRuntime, { serviceAccounts }: AppOptions) =>
      new AccountTokens(
        keys,
        (...object) => state.get(...object),
        () => clock.now(),
        serviceAccounts,
      ),
  },
  {
    provide: Authenticator,
    inject: [ApiserverOptions, AccountTokens],
    useFactory: ({ token, ca, clientCa = ca }: ApiserverOptions, accounts: AccountTokens) =>
      new Authenticator(token, accounts, new ClientCertificates(clientCa)),
  },
  {
    provide: Aggregation,
    inject: [ApiserverOptions, ClusterRuntime],
    useFactory: ({ frontProxy }: ApiserverOptions, { state, clock }: ClusterRuntime) =>
      new Aggregation(state, frontProxy, () => clock.now()),
  },
  {
    provide: ApiHandler,
    inject: [ClusterRuntime, LiveCluster, Writer, Authenticator, AccountTokens, AppOptions, Aggregation],
    useFactory: (
      runtime: ClusterRuntime,
      live: LiveCluster,
      writer: Writer,
      authenticator: Authenticator,
      tokens: AccountTokens,
      options: AppOptions,
      aggregation: Aggregation,
    ) =>
      new ApiHandler({
        aggregation,
        runtime,
        live,
        writer: new DerivedEventWriter(writer, live),
        access: accessTo(runtime.state),
        reviewToken: (token, audiences) => authenticator.review(token, audiences),
        tokens,
        extendsExpiration: options.serviceAccounts?.extendsExpiration,
        trouble: troubleOf(runtime),
        apps: apiserverOptions(options).apps ?? [],
      }),
  },
  {
    provide: ApiServer,
    inject: [ApiserverOptions, ApiHandler, Authenticator, ClusterRuntime],
    useFactory: async (options: ApiserverOptions, handler: ApiHandler, authenticator: Authenticator, { clock }: ClusterRuntime) => {
      const logger = new Logger('apiserver');
      const auditor = options.audit && (await auditorOf(options.audit, clock));
      return new ApiServer(options, handler, authenticator, (error) => logger.error(error.stack ?? error.message), auditor);
    },
  },
];
