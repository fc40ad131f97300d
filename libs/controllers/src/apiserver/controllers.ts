import { type Controller, reconcilerController } from '#libs/control-loop';
import { bootstrapRoles } from '../access/bootstrap-roles';
import { apiServiceAvailability } from '../api-services/availability';
import { apiServiceAutoregistration } from '../api-services/autoregistration';
import { apiServiceRegistration } from '../api-services/registration';
import { apiApprovalController } from '../custom-resources/approval';
import { establishingController } from '../custom-resources/establishing';
import { customResourceFinalizer } from '../custom-resources/finalizing';
import { namingConditionController } from '../custom-resources/naming';
import { flowControlConsumer } from '../flow-control/config-consumer';
import { flowControlProducer } from '../flow-control/config-producer';
import { quotaAdmission } from '../quota/quota-admission';
import { defaultServiceCidrController } from '../service-network/default-service-cidr';
import { serviceAddresses } from '../service-network/service-addresses';

/** What an API server looks after by itself, beside answering requests. */
export function apiserverReconcilers(): Controller[] {
  return [
    reconcilerController(apiServiceRegistration),
    reconcilerController(apiServiceAutoregistration),
    reconcilerController(apiServiceAvailability),
    reconcilerController(defaultServiceCidrController),
    reconcilerController(serviceAddresses),
    reconcilerController(flowControlProducer),
    reconcilerController(flowControlConsumer),
    reconcilerController(bootstrapRoles),
    reconcilerController(namingConditionController),
    reconcilerController(establishingController),
    reconcilerController(apiApprovalController),
    reconcilerController(customResourceFinalizer),
    reconcilerController(quotaAdmission),
  ] as unknown as Controller[];
}
