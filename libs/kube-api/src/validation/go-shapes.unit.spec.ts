import { describe, expect, it } from 'vitest';
import { goPodSpec, goShape } from './go-shapes';
import { goJson } from '../status/go-value';

describe('a value in an error text', () => {
  it('has every field of its type in Go, in order, absent ones as zero', () => {
    expect(goJson(goShape('Taint', { effect: 'NoSchedule', key: 'a' }))).toBe(
      '{"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}',
    );
    expect(goJson(goShape('DeploymentStrategy', { type: 'Recreate', rollingUpdate: {} }))).toBe(
      '{"Type":"Recreate","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":0}}',
    );
  });

  it('has the fields of an embedded struct among its own', () => {
    expect(goJson(goShape('Probe', { httpGet: { port: 80, httpHeaders: [{ name: 'a', value: 'b' }] } }))).toBe(
      '{"Exec":null,"HTTPGet":{"Path":"","Port":80,"Host":"","Scheme":"","HTTPHeaders":[{"Name":"a","Value":"b"}]},"TCPSocket":null,"GRPC":null,' +
        '"InitialDelaySeconds":0,"TimeoutSeconds":0,"PeriodSeconds":0,"SuccessThreshold":0,"FailureThreshold":0,"TerminationGracePeriodSeconds":null}',
    );
  });

  it('has sources of volumes under their names in Go, whatever they are called on the wire', () => {
    const sources = (volume: object) =>
      Object.fromEntries(Object.entries(goShape('Volume', volume)).filter(([name, source]) => name !== 'Name' && source !== null));
    expect(sources({ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } })).toEqual({
      CSI: { Driver: 'd', ReadOnly: null, FSType: null, VolumeAttributes: null, NodePublishSecretRef: { Name: 's' } },
    });
    expect(sources({ name: 'v', rbd: { monitors: ['m'], image: 'i' } })).toEqual({
      RBD: {
        CephMonitors: ['m'],
        RBDImage: 'i',
        FSType: '',
        RBDPool: '',
        RadosUser: '',
        Keyring: '',
        SecretRef: null,
        ReadOnly: false,
      },
    });
  });

  it('has the metadata of a claim template as on the wire, among the fields of the template', () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { accessModes: ['ReadWriteOnce'] } };
    const volume = goShape('Volume', { name: 'v', ephemeral: { volumeClaimTemplate: template } }) as {
      Ephemeral: { VolumeClaimTemplate: object };
    };
    const shown = volume.Ephemeral.VolumeClaimTemplate;
    expect(Object.keys(shown)).toEqual(['labels', 'Spec']);
    expect(shown).toMatchObject({
      labels: { a: 'b' },
      Spec: { AccessModes: ['ReadWriteOnce'], Resources: { Limits: null, Requests: null } },
    });
  });

  it('has the namespaces of the host, of a pod, in its security context', () => {
    const { SecurityContext } = goPodSpec({ hostNetwork: true, securityContext: { fsGroup: 2 } });
    expect(SecurityContext).toMatchObject({ HostNetwork: true, HostPID: false, HostUsers: null, FSGroup: 2 });
  });
});
