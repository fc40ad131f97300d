import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { isObject, type JsonObject } from '#libs/kernel';
import { CliError } from '../cli-error';

/** The flags of admission, as upstream's server has them. */
export interface AdmissionFlags {
  enableAdmissionPlugins?: string;
  disableAdmissionPlugins?: string;
  admissionControlConfigFile?: string;
}

interface AdmissionSettings {
  enabled: string[];
  disabled: string[];
  limitedResources: LimitedResource[];
  podSecurity?: PodSecuritySettings;
}

interface LimitedResource {
  resource: string;
  matchContains: string[];
  matchScopes: { scopeName: string; operator: string; values?: string[] }[];
}

interface LevelVersion {
  level: string;
  version: number | 'latest';
}

interface PodSecuritySettings {
  defaults: Record<'enforce' | 'audit' | 'warn', LevelVersion>;
  exemptions: Record<'usernames' | 'namespaces' | 'runtimeClasses', string[]>;
}

/**
 * What is to be admitted by, beside upstream's defaults; undefined: nothing else.
 * @throws CliError for a plug-in that is not known, and for what a file says that cannot be
 */
export async function admissionSettings(flags: AdmissionFlags): Promise<AdmissionSettings | undefined> {
  const { enableAdmissionPlugins, disableAdmissionPlugins, admissionControlConfigFile: file } = flags;
  if (enableAdmissionPlugins === undefined && disableAdmissionPlugins === undefined && file === undefined) return undefined;
  const enabled = await pluginsOf('--enable-admission-plugins', enableAdmissionPlugins);
  const disabled = await pluginsOf('--disable-admission-plugins', disableAdmissionPlugins);
  const both = enabled.find((name) => disabled.includes(name));
  if (both !== undefined)
    throw new CliError(`${both} is in --enable-admission-plugins and in --disable-admission-plugins`, 'Name it in one of them.', 2);
  return { enabled, disabled, limitedResources: [], ...(file === undefined ? {} : await configurationOf(resolve(file))) };
}

async function pluginsOf(flag: string, list: string | undefined): Promise<string[]> {
  const names = (list ?? '').split(',').flatMap((name) => name.trim() || []);
  if (names.length === 0) return [];
  const { absentPlugins, admissionPlugins } = await import('#libs/kube-api');
  const unknown = names.find((name) => !admissionPlugins.includes(name));
  if (unknown !== undefined) throw new CliError(`${flag}: plugin "${unknown}" is unknown`, `Plugins: ${admissionPlugins.join(', ')}`, 2);
  const absent = names.find((name) => flag.startsWith('--enable') && absentPlugins.has(name));
  if (absent !== undefined) throw new CliError(`${flag}: kubereel does not do what ${absent} does`, undefined, 2);
  return names;
}

type Configuration = Pick<AdmissionSettings, 'podSecurity'> & Partial<Pick<AdmissionSettings, 'limitedResources'>>;

/** An AdmissionConfiguration: of ResourceQuota and PodSecurity. */
async function configurationOf(path: string): Promise<Configuration> {
  const whole = readYaml(path);
  if (whole.kind !== 'AdmissionConfiguration') throw wrong(path, 'it is no AdmissionConfiguration');
  const settings: Configuration = {};
  for (const plugin of listOf(whole.plugins, path, 'plugins')) {
    const name = String(plugin.name);
    const [place, content] = ownConfiguration(plugin, path);
    if (name === 'ResourceQuota') settings.limitedResources = limitedResourcesOf(content, place);
    else if (name === 'PodSecurity') settings.podSecurity = await podSecurityOf(content, place);
    else throw wrong(path, `nothing of plugin "${name}" can be configured; ResourceQuota and PodSecurity can`);
  }
  return settings;
}

/** In the file itself, or in one of its own beside it. */
function ownConfiguration({ configuration, path }: JsonObject, file: string): [path: string, content: JsonObject] {
  if (isObject(configuration)) return [file, configuration];
  if (typeof path !== 'string' || path === '') return [file, {}];
  const own = resolve(dirname(file), path);
  return [own, readYaml(own)];
}

function limitedResourcesOf({ limitedResources }: JsonObject, path: string): LimitedResource[] {
  return listOf(limitedResources, path, 'limitedResources').map(({ apiGroup, resource, matchContains, matchScopes }) => {
    if (typeof resource !== 'string' || resource === '') throw wrong(path, 'a limited resource names no resource');
    return {
      resource: apiGroup ? `${resource}.${String(apiGroup)}` : resource,
      matchContains: textsOf(matchContains, path, 'matchContains'),
      matchScopes: listOf(matchScopes, path, 'matchScopes').map(({ scopeName, operator, values }) => ({
        scopeName: String(scopeName),
        operator: String(operator),
        ...(values === undefined ? {} : { values: textsOf(values, path, 'values') }),
      })),
    };
  });
}

async function podSecurityOf({ defaults = {}, exemptions = {} }: JsonObject, path: string): Promise<PodSecuritySettings> {
  const { parseSecurityVersion, securityLevels } = await import('#libs/kube-api');
  if (!isObject(defaults) || !isObject(exemptions)) throw wrong(path, 'defaults and exemptions are no objects');
  const levelOf = (mode: string): LevelVersion => {
    const level = String(defaults[mode] ?? 'privileged');
    const version = parseSecurityVersion(String(defaults[`${mode}-version`] ?? 'latest'));
    if (!(securityLevels as readonly string[]).includes(level)) throw wrong(path, `${mode}: must be one of ${securityLevels.join(', ')}`);
    if (version === undefined) throw wrong(path, `${mode}-version: must be "latest" or "v1.x"`);
    return { level, version };
  };
  return {
    defaults: { enforce: levelOf('enforce'), audit: levelOf('audit'), warn: levelOf('warn') },
    exemptions: {
      usernames: textsOf(exemptions.usernames, path, 'usernames'),
      namespaces: textsOf(exemptions.namespaces, path, 'namespaces'),
      runtimeClasses: textsOf(exemptions.runtimeClasses, path, 'runtimeClasses'),
    },
  };
}

function listOf(value: unknown, path: string, field: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every(isObject)) throw wrong(path, `${field} is no list of objects`);
  return value as JsonObject[];
}

function textsOf(value: unknown, path: string, field: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((text) => typeof text === 'string')) throw wrong(path, `${field} is no list of texts`);
  return value as string[];
}

function readYaml(path: string): JsonObject {
  if (!existsSync(path)) throw wrong(path, 'there is no such file');
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'), { maxAliasCount: 1_000 });
  } catch (error) {
    throw wrong(path, (error as Error).message.split('\n')[0] as string);
  }
  if (!isObject(content)) throw wrong(path, 'it is no object');
  return content;
}

function wrong(path: string, text: string): CliError {
  return new CliError(`--admission-control-config-file: ${path}: ${text}`, undefined, 2);
}
