/** The message of a rule that an option breaks: which values are allowed. */
export const expected = {
  text: { message: 'a text' },
  texts: { message: 'a list of texts' },
  pem: { message: 'PEM text' },
  port: { message: 'a whole number from 0 to 65535' },
  count: { message: 'a whole number, 0 or more' },
  positive: { message: 'a number above 0' },
  time: { message: 'ms since 1970-01-01T00:00:00Z, a number' },
  settings: { message: 'an object' },
} as const;

export const isPem = (value: unknown): boolean => typeof value === 'string' && value.includes('-----BEGIN ');
