import { describe, expect, it } from 'vitest';
import { boolType, stringType } from '#libs/cel';
import { AdmissionExpressions } from './admission';
import { compileDeviceSelector } from './devices';

const all = { hasParams: true, hasAuthorizer: true };

describe('expressions of admission', () => {
  it('know the request, its objects, its namespace and whom to ask', () => {
    const text = [
      "request.operation == 'CREATE'",
      "request.userInfo.groups.exists(group, group == 'admins')",
      "namespaceObject.metadata.labels['team'] == object.metadata.labels.team",
      "authorizer.group('apps').resource('deployments').namespace('a').check('get').allowed()",
      "authorizer.requestResource.check('escalate').errored()",
      'params.data.limit > 3',
    ].join(' && ');
    expect(new AdmissionExpressions().compile(text, [boolType], all).problem).toBeUndefined();
    expect(new AdmissionExpressions().compile(text, [boolType], { hasParams: false, hasAuthorizer: false }).problem).toMatch(
      /undeclared reference to 'authorizer'.*undeclared reference to 'params'/s,
    );
  });

  it('know the variables before them with their types', () => {
    const expressions = new AdmissionExpressions(true);
    expressions.addVariable('names', 'object.spec.containers.map(c, string(c.name))', all);
    expect(expressions.compile("variables.names.all(name, name.startsWith('a'))", [boolType], all).problem).toBeUndefined();
    expect(expressions.compile('variables.names', [stringType], all).problem).toBe('must evaluate to string but got list(string)');
    expect(expressions.compile('variables.later == 1', [boolType], all).problem).toMatch("undefined field 'later'");
  });
});

describe('expressions that choose devices', () => {
  it('know the device, and bind names to values', () => {
    const text = "cel.bind(a, device.attributes['gpu.example'], a.model == 'x' && a.version.compareTo(semver('1.2.3')) >= 0)";
    expect(compileDeviceSelector(text)).toMatchObject({ isTooComplex: false });
    expect(compileDeviceSelector(text).problem).toBeUndefined();
    expect(compileDeviceSelector("device.capacity['d'].memory.isGreaterThan(quantity('1Gi'))").problem).toBeUndefined();
    expect(compileDeviceSelector('device.serial == 1').problem).toMatch("undefined field 'serial'");
  });

  it('may not cost more than is allowed', () => {
    const every = (inner: string): string => `device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, ${inner})))`;
    expect(compileDeviceSelector(every("device.attributes.all(d, d + a + b + c != '')")).isTooComplex).toBe(true);
  });
});
