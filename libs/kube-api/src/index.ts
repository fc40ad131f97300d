/**
 * The Kubernetes API as pure functions and data: what kinds there are, how their objects look, what a write makes of them, and how they
 * are shown. What is not named here is reachable from inside this library only (see .dependency-cruiser.cjs).
 */

import { setFieldOwnership, setKindRules } from '#libs/cluster-state';
import { kindRules } from './custom-resources/objects';
import { fieldOwnership } from './managed-fields';

// Whoever folds a log keeps owners of fields by the rules here.
setFieldOwnership(fieldOwnership);
// And its kinds follow the definitions in it.
setKindRules(kindRules);

// The kinds of a cluster
export {
  apiVersionOf,
  findSubresource,
  groupResourceOf,
  groupVersionPath,
  inItsVersion,
  isSubresourceServed,
  KindCatalogue,
  kindsOf,
  newKindCatalogue,
  parseApiVersion,
  releaseKinds,
  shownAs,
  type BodyKind,
  type ResourceKind,
  type Subresource,
} from './kinds';
export { definition, definitionOf, schemaData, schemaOf, type Definition, type GroupVersionKind, type TypeRef } from './schema';
export { compareVersions } from './kinds/version-order';
export { aggregatedDiscoveryType, discoveryOf, versionInfo, type Discovery } from './discovery';

// Who may do what
export {
  clusterAccess,
  forbiddenBy,
  isOfResource,
  isPrivileged,
  missingRolesText,
  policyObjects,
  NodeAuthorizer,
  nodeOf,
  privileged,
  RbacAuthorizer,
  RbacObjects,
  reconciledPolicyObject,
  serviceAccountGroups,
  serviceAccountOf,
  serviceAccountUser,
  union,
  withoutMarkup,
  type Access,
  type AggregationRule,
  type Attributes,
  type Authorization,
  type Authorizer,
  type KnownRules,
  type NodeObjects,
  type PathAttributes,
  type PolicyObject,
  type PolicyRule,
  type Requester,
  type ResourceAttributes,
  type RuleResolver,
  type User,
} from './authorization';

// Certificates
export { readCertificateRequest, type CertificateRequest } from './kinds/certificates/pkcs10';
export { kubeletClientProblem, kubeletClientSigner, ownSigners } from './kinds/certificates/signers';

// Protobuf
export {
  decodeMessage,
  encodeList,
  encodeMessage,
  messageField,
  ProtobufReader,
  readEnvelope,
  watchFrame,
  writeEnvelope,
} from './protobuf';

// Request bodies
export {
  bodyFormatOf,
  bodyMediaTypes,
  coreEventOf,
  decodeDeleteOptions,
  decodeObject,
  parseYaml,
  eventsViewOf,
  zeroStruct,
  type BodyFormat,
  type Decoded,
  type ExpectedKind,
  type Refused,
  sentWithEmpty,
  sortedJson,
  wireFormOf,
} from './decode';
export { applyPatch, patchFormatOf, patchMediaTypes, readPatch, type PatchFormat } from './patch';
export { readApplyConfig } from './patch';
export { managerOfAgent, problemOfTold } from './managed-fields';
export { entriesOfNew } from './write/owners';
export { checkEvictionName, readBinding } from './kinds';

// What a server makes of itself
export {
  availableLocally,
  clusterAddressesOf,
  defaultServiceCidr,
  flowControlObjects,
  ipAddressFor,
  localApiServices,
  withApiServiceAvailability,
  type ApiServiceAvailability,
} from './kinds';
export { fieldRequirementsOf, selectorProblem } from './kinds/reviews';

// Custom kinds, and their definitions
export { definitionResource, isSameService, isTakenByRelease, kindsByDefinitions } from './custom-resources/objects';
export {
  approvalOf,
  cleanupFinalizer,
  conditionOf,
  isConditionTrue,
  isEstablished,
  isProtectedGroup,
  saysSo,
  withDefinitionCondition,
  type DefinitionFinding,
  type DefinitionNames,
  type DefinitionSpec,
  type DefinitionStatus,
} from './custom-resources/definition';

// The one write path
export {
  prepareWrite,
  UNSAID_WRITE_RULES_VERSION,
  WRITE_RULES_VERSION,
  type ApplyRequest,
  type BindRequest,
  type ConnectRequest,
  type CreateRequest,
  type DeleteOptions,
  type DeleteRequest,
  type DisruptRequest,
  type EvictRequest,
  type PatchRequest,
  type PatchType,
  type Prepared,
  type RecordRequest,
  type StateView,
  type Target,
  type UpdateRequest,
  type WriteContext,
  type WriteOptions,
  type WriteRequest,
} from './write';

// Its parts, for who shows or judges an object without writing it
export { applyDefaults } from './defaults';
export { noScaleOf, podGracePeriod, scaleOf } from './strategy';
export { canonicalAddress, parseAddress } from './validation/addresses';
export { isPathSegmentName } from './validation/formats';
export { refuseInvalid, validateCreate, validateUpdate, warningsOf } from './validation';
export {
  validateCreateOptions,
  validateDeleteOptions,
  validateListOptions,
  validateLogOptions,
  validatePatchOptions,
  validateUpdateOptions,
  type WriteParameters,
} from './validation';

// Reviewers: what they are asked, and the rules of priority that one of them answers by
export {
  admitPriorityClass,
  absentPlugins,
  admissionPlugins,
  answeredQuestion,
  parseSecurityVersion,
  callerAuthorizer,
  quotaRequestOf,
  referencedKind,
  securityLevels,
  type AdmissionConfiguration,
  defaultPriorityClass,
  isRefusal,
  priorityClassFacts,
  readReviewAnswer,
  replyError,
  resolvePodPriority,
  restrictNode,
  restrictNodeToken,
  type NodeWrite,
  type TokenAsked,
  typeWarnings,
  webhookAnswered,
  type CallReply,
  type Caller,
  type ClientConfig,
  type NeededReview,
  type OutsideCall,
  type PriorityClassFacts,
  type PriorityClassLookup,
  type ReviewAnswer,
  type ReviewPhase,
  type UserInfo,
  type WebhookCall,
  type WebhookOutcome,
  type AuditAnnotation,
} from './admission';

// Quotas: what objects take, and whether it fits
export {
  checkQuotas,
  demandOf,
  isTracked,
  overdueAt,
  recounted,
  usageOf,
  type LimitedResource,
  type QuotaVerdict,
  type RunningQuota,
} from './quota';
export { addTo, masked, readList, sameAmounts, writeList, type ResourceList } from './resources';

// Conversion webhooks of custom kinds
export {
  conversionAnswered,
  conversionBody,
  ConversionFailed,
  conversionFailed,
  conversionQuestion,
  convertedBy,
  readConversion,
  type ConversionCall,
  type Converted,
} from './conversion';

// Selectors
export {
  compileObjectSelector,
  isSelectorError,
  parseFieldRequirements,
  parseFieldSelector,
  parseLabelSelector,
  requiredValue,
  requirementMatches,
  type FieldRequirement,
  type FieldSelector,
  type LabelOperator,
  type LabelSelector,
  type ObjectSelector,
} from './selectors';

// Tables
export { printObjectTable, printTable, readIncludeObject, scalePrinting, type IncludeObject } from './printing';

// Refusals, in upstream's words: the catalogue of Status bodies
export {
  alreadyExists,
  badRequest,
  beingDeleted,
  bodyTooLarge,
  conflict,
  continueTokenExpired,
  deleted,
  disruptionBudgetExhausted,
  disruptionBudgetUnprocessed,
  expired,
  failure,
  forbiddenPath,
  forbiddenRequest,
  goEscaped,
  forbidden,
  goQuote,
  internalError,
  invalid,
  invalidValue,
  isFailure,
  listVersionExpired,
  methodNotAllowed,
  notAcceptable,
  notAcceptableForList,
  notAcceptableForObject,
  notAcceptableRepresentation,
  notFound,
  plainError,
  requestTooLarge,
  resourceVersionTooLarge,
  serverTimeout,
  serviceUnavailable,
  severalDisruptionBudgets,
  staleResourceVersion,
  success,
  timeout,
  tooManyRequests,
  unauthorized,
  unknownResource,
  unsupportedMediaType,
  unsupportedPatchType,
  watchVersionExpired,
  type Failure,
  type FieldError,
  type Status,
} from './status';
export { expressionFunctions } from './expressions/functions';
