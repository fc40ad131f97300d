export { podSecurity } from './pod-security';
export { parseSecurityVersion, securityLevels, securityModes, type LevelVersion, type SecurityPolicy } from './policy';
