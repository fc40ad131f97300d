import { runApp } from '#libs/app-shell';
import { pdbControllerLeavesOut } from './leaves-out';
import { PdbControllerModule } from './pdb-controller.module';

void runApp('pdb-controller', PdbControllerModule, { leavesOut: pdbControllerLeavesOut });
