export * from './simulation';
