export * from './event-store-server';
export { PASSWORD_VARIABLE, secureOptions, type SecureFlags } from './secure-options';
