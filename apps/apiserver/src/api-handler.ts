import { HistoryForgottenError } from '#libs/event-log';
import { badRequest, expired, isFailure, methodNotAllowed, type Access, type Failure, type KindCatalogue } from '#libs/kube-api';
import type { OpenApiDocument } from '#libs/kube-api/openapi';
import type { ApiRequest, ApiServices } from './api-request';
import { discoveryAnswer, localDocuments } from './discovery/discovery';
import { healthAnswer } from './health/health';
import type { FlowControl } from './http/fairness';
import { pageNotFound, statusAnswer, type Answer, type Handled } from './http/answer';
import { logAnswer } from './log-api/log-api';
import { negotiate } from './negotiation/accept';
import { PastView } from './past/past-view';
import { readMoment } from './past/when';
import type { RequestInfo, ResourcePath } from './request-info/request-info';
import { resourceAnswer } from './resource-dispatch';
import type { ClusterView } from './serving/cluster-view';
import { refusalOf } from './wire/representation';
import { withWarnings } from './writing/results';

/** What is shown, and what is to be said of which moment that is. */
interface Moment {
  view: ClusterView;
  warnings: readonly string[];
}

/** Answers requests, whatever carried them here. */
export class ApiHandler {
  constructor(private readonly services: ApiServices) {}

  /** The kinds of the cluster now. */
  get kinds(): KindCatalogue {
    return this.services.live.kinds;
  }

  /** Who may do what in the cluster now. */
  get access(): Access {
    return this.services.access;
  }

  /** What requests fall under, as far as answers tell it. */
  get flowControl(): FlowControl {
    const { state } = this.services.runtime;
    return {
      schema: (name) => state.get('flowschemas.flowcontrol.apiserver.k8s.io', undefined, name),
      level: (name) => state.get('prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', undefined, name),
    };
  }

  async handle(request: ApiRequest): Promise<Handled> {
    const { info } = request;
    const { aggregation } = this.services;
    const remote = aggregation?.groups.find(info.path);
    if (aggregation && remote) {
      const answer = await aggregation.answer(request, remote);
      return isFailure(answer) ? this.refused(request, answer) : answer;
    }
    if (info.method === 'HEAD' || info.method === 'OPTIONS') return (await this.health(info)) ?? this.refused(request, methodNotAllowed());
    if (info.resource?.isBroken) return pageNotFound();
    return info.resource ? this.resource(request, info.resource) : this.document(request);
  }

  /** Whatever the method: load balancers ask with HEAD. */
  private async health(info: RequestInfo): Promise<Answer | undefined> {
    return healthAnswer(info, () => this.services.trouble());
  }

  /** What is no resource: health, discovery, schemas, the log. */
  private async document(request: ApiRequest): Promise<Handled> {
    const { info, headers } = request;
    const health = await this.health(info);
    if (health) return health;
    const log = await logAnswer(info, this.services.runtime);
    if (log) return log;
    const befell = await this.befell(request);
    if (befell) return isFailure(befell) ? this.refused(request, befell) : befell;
    const moment = info.at === undefined ? this.present : await this.past(info.at).catch(forgotten);
    if (isFailure(moment)) return this.refused(request, moment);
    const { kinds } = moment.view;
    const { tokens, aggregation } = this.services;
    const discovery = (await aggregation?.discoveryAt(moment.view, info, headers.accept)) ?? localDocuments(kinds);
    const documents = (await discoveryAnswer(info, headers, discovery, tokens)) ?? (await this.schemaAnswer(request, kinds));
    if (!documents) return pageNotFound();
    if (info.method !== 'GET') return this.refused(request, methodNotAllowed());
    return isFailure(documents) ? this.refused(request, documents) : documents;
  }

  /** Few processes are ever told what befalls a node. */
  private async befell(request: ApiRequest): Promise<Answer | Failure | undefined> {
    if (!request.info.path.startsWith('/kubereel/nodes/')) return undefined;
    const { nodesAnswer } = await import('./nodes-api/nodes-api.js');
    return nodesAnswer(request, this.services.runtime);
  }

  /** Few processes are ever asked for the schema of the whole. */
  private async schemaAnswer(request: ApiRequest, kinds: KindCatalogue): Promise<Handled | Failure | undefined> {
    const { info, headers } = request;
    if (!info.path.startsWith('/openapi/')) return undefined;
    const { openApiAnswer, schemaNameOf } = await import('./discovery/openapi.js');
    const { aggregation } = this.services;
    const isShared = info.at === undefined && aggregation !== undefined && aggregation.groups.all.size > 0;
    if (!isShared) return openApiAnswer(info, headers, kinds);
    const urls = await aggregation.schemaUrls(info.path);
    const others = { urls, merged: (document: OpenApiDocument) => aggregation.mergedSchema(document) };
    const name = schemaNameOf(info.path);
    const own = (): Promise<Answer | undefined> => openApiAnswer(info, headers, kinds, others);
    if (name === undefined || !urls.has(name) || info.method !== 'GET') return own();
    // What both have is this server's, unless the whole group version is the other's.
    const answer = aggregation.groups.find(`/${name}`) ? undefined : await own();
    return answer && answer.status !== 404 ? answer : aggregation.schema(request, name);
  }

  private async resource(request: ApiRequest, path: ResourcePath): Promise<Handled> {
    const { info } = request;
    const { at } = info;
    const moment = at === undefined ? this.present : await this.past(at).catch(forgotten);
    if (isFailure(moment)) return this.refused(request, moment);
    const { deprecation } = moment.view.kinds.findResource(path.group, path.version, path.resource) ?? {};
    if (deprecation !== undefined) request.audit?.deprecated();
    const warnings = deprecation === undefined ? moment.warnings : [deprecation, ...moment.warnings];
    const found = await resourceAnswer(request, path, moment.view, at !== undefined, this.services).catch(forgotten);
    const answer = isFailure(found) ? await this.refused(request, found) : found;
    return warnings.length > 0 && 'body' in answer ? withWarnings(answer, warnings) : answer;
  }

  private get present(): Moment {
    return { view: this.services.live, warnings: [] };
  }

  /** The cluster as it was at the moment that a path begins with. */
  private async past(at: string): Promise<Moment | Failure> {
    const { live, runtime } = this.services;
    const { log, cluster } = runtime.options;
    const moment = await readMoment(at, { log, cluster, landmarks: live.landmarks, head: live.position, now: live.time });
    if (isFailure(moment)) return moment;
    const { candidates } = moment;
    const view = await PastView.at(moment, live, runtime);
    const warnings =
      candidates.length === 0
        ? []
        : [`${at} is taken as ${new Date(view.time).toISOString()}; others: ${candidates.slice(0, 10).join(', ')}`];
    return { view, warnings };
  }

  /** A refusal in the form asked for; plain JSON where even that could not be made out. */
  private async refused({ headers, info }: ApiRequest, status: Failure): Promise<Handled> {
    const negotiated = negotiate(headers, info.query.flag('pretty'), true);
    return isFailure(negotiated) ? statusAnswer(status, status.code) : refusalOf(status, negotiated);
  }
}

/** A moment that a bounded log no longer reaches back to. */
function forgotten(error: unknown): Failure {
  if (error instanceof HistoryForgottenError)
    return expired(`version ${error.asked} is no longer kept: the history in memory begins after ${error.forgotten}`);
  throw error;
}

export function unreadableTarget(): Handled {
  const status = badRequest('the request target is no valid path');
  return statusAnswer(status, status.code);
}
