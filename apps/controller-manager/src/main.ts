import { runApp } from '#libs/app-shell';
import { ControllerManagerModule } from './controller-manager.module';
import { controllerManagerLeavesOut } from './leaves-out';

void runApp('controller-manager', ControllerManagerModule, controllerManagerLeavesOut);
