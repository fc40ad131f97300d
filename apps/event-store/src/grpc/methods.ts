import type { MethodDefinition } from '@grpc/proto-loader';
import type { CallHandler } from './grpc-server';
import type { GrpcCall } from './grpc-call';
import { code, StatusError, type CallStatus } from './status';

export type Method = MethodDefinition<object, object>;

/** @throws StatusError for bytes that are no message */
export function decoded<T>(method: Method, bytes: Buffer): T {
  try {
    return method.requestDeserialize(bytes) as T;
  } catch (error) {
    throw new StatusError({ code: code.INVALID_ARGUMENT, details: `the message cannot be read: ${(error as Error).message}` });
  }
}

/** Calls of one request message; the handler answers in whatever way and ends the call. */
export function ofOneRequest<T>(
  method: Method,
  statusOf: (error: unknown) => CallStatus,
  handle: (request: T, call: GrpcCall) => void,
): CallHandler {
  return (call) => {
    let request: Buffer | undefined;
    call.listen({
      message(bytes) {
        if (request) call.end({ code: code.INTERNAL, details: 'Additional data after the message received.' });
        request = Buffer.from(bytes);
      },
      ended() {
        if (!request) {
          call.end({ code: code.INTERNAL, details: 'Incomplete message.' });
          return;
        }
        try {
          handle(decoded(method, request), call);
        } catch (error) {
          call.end(statusOf(error));
        }
      },
    });
  };
}

/** Calls of one request message and one answer. */
export function unary<T>(
  method: Method,
  statusOf: (error: unknown) => CallStatus,
  answer: (request: T, call: GrpcCall) => object | Promise<object>,
): CallHandler {
  return ofOneRequest<T>(method, statusOf, (request, call) => {
    void Promise.resolve(answer(request, call)).then(
      (reply) => {
        void call.write(method.responseSerialize(reply));
        call.end();
      },
      (error: unknown) => call.end(statusOf(error)),
    );
  });
}
