import { groupVersionPath } from '../kinds/names';
import { definition } from '../schema';
import type { Endpoint, Operation } from './operation';
import { capital, idPrefix, tagOf } from './operation-ids';

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

type Told = Pick<Operation, 'operationId' | 'tag' | 'result' | 'answers'>;

const reading = (path: string, { group, version }: GroupVersion, told: Told): Endpoint => ({
  path,
  group,
  version,
  operations: [{ method: 'get', query: [], ...told }],
});

/** `GET /apis/G/V/`: the resources of a group version. */
export function resourcesEndpoint(place: GroupVersion): Endpoint {
  const { group, version } = place;
  return reading(`${groupVersionPath(group, version)}/`, place, {
    operationId: `get${idPrefix(place)}APIResources`,
    tag: `${tagOf(group)}_${version}`,
    result: definition('meta.v1.APIResourceList'),
  });
}

/**
 * Documents that are about no group version, by their place in the index: what lies above the resources, and what the server tells of
 * itself.
 */
export function ownDocuments(groups: readonly string[]): ReadonlyMap<string, Endpoint> {
  const nowhere = { group: '', version: '' };
  const about = (path: string, told: Told): [string, Endpoint] => [path.slice(1, -1), reading(path, nowhere, told)];
  return new Map([
    about('/api/', { operationId: 'getCoreAPIVersions', tag: 'core', result: definition('meta.v1.APIVersions') }),
    about('/apis/', { operationId: 'getAPIVersions', tag: 'apis', result: definition('meta.v1.APIGroupList') }),
    ...groups
      .filter((group) => group !== '')
      .map((group) =>
        about(`/apis/${group}/`, {
          operationId: `get${capital(tagOf(group))}APIGroup`,
          tag: tagOf(group),
          result: definition('meta.v1.APIGroup'),
        }),
      ),
    about('/version/', {
      operationId: 'getCodeVersion',
      tag: 'version',
      result: definition('version.Info'),
      answers: ['application/json'],
    }),
    about('/openid/v1/jwks/', {
      operationId: 'getServiceAccountIssuerOpenIDKeyset',
      tag: 'openid',
      answers: ['application/jwk-set+json'],
    }),
    about('/.well-known/openid-configuration/', {
      operationId: 'getServiceAccountIssuerOpenIDConfiguration',
      tag: 'WellKnown',
      answers: ['application/json'],
    }),
  ]);
}
