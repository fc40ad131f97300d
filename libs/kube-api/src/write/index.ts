export { UNSAID_WRITE_RULES_VERSION, WRITE_RULES_VERSION } from './rules-version';
export * from './request';
export * from './prepare-write';
