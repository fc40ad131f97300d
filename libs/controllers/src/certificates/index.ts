export { requestApprover } from './request-approver';
export { requestCleaner } from './request-cleaner';
export { requestSigner, type SignatureCall } from './request-signer';
export { AskedSignatures, requests, signatureAsked } from './requests';
