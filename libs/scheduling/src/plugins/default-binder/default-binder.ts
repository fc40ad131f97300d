import type { BindPlugin } from '../../framework/interface';

/** Binds through the API's binding subresource; the writing itself is the application's. */
export class DefaultBinder implements BindPlugin {
  readonly name = 'DefaultBinder';

  bind(): undefined {
    return undefined;
  }

  eventsToRegister(): readonly never[] {
    return [];
  }
}
