import { Command } from 'commander';
import { defaultDataFolder } from '../up/data-folder';
import type { UpFlags } from '../up/up-flags';

export function upCommand(): Command {
  return new Command('up')
    .description('Start a cluster, or resume the one in the data folder.')
    .option('--data <folder>', `where the cluster is kept (default: ./${defaultDataFolder})`)
    .option('--ephemeral', 'keep everything in memory; gone when it ends')
    .option(
      '--keep-requests',
      'keep the requests of clients in the log, so that verify can compare what was written with what was asked for',
    )
    .option('--history <size>', 'with --ephemeral: how much of the past is kept, or all; the oldest goes first (default: 256Mi)')
    .option(
      '--compact-after <span>',
      'answer 410 to older versions, as a compacted etcd does: a duration (5m), a number of events (1000) or @VERSION (default: none expires)',
    )
    .option('--port <number>', 'port of the API server, 0 for any that is free (default: the last one used, else 7443)')
    .option('--host <address>', 'address to listen on; anything but loopback is reachable by others', '127.0.0.1')
    .option('--nodes <spec>', 'simulated nodes of a new cluster: N[,cpu=4][,memory=8Gi][,pods=110]; 0 for none (default: 3)')
    .option('--heartbeats', "renew the Leases of the nodes every 10 s: for a controller manager that is not kubereel's")
    .option('--node-monitor-grace-period <span>', 'how long a node may be silent before it counts as unknown (default: 50s)')
    .option('--node-startup-grace-period <span>', 'the same for a node that has never said anything (default: 60s)')
    .option('--node-eviction-rate <number>', 'nodes a second whose pods are evicted, in a zone that is well (default: 0.1)')
    .option('--secondary-node-eviction-rate <number>', 'the same in a large zone that is not well; small ones stop (default: 0.01)')
    .option('--large-cluster-size-threshold <number>', 'a zone with more nodes is large (default: 50)')
    .option('--unhealthy-zone-threshold <part>', 'a zone is not well when this part of its nodes is not ready (default: 0.55)')
    .option('--terminated-pod-gc-threshold <number>', 'ended pods that are kept; 0 for all (default: 12500)')
    .option('--apps <list>', 'apps to run, separated by commas (default: all); app/controller runs one controller of an app')
    .option('--seed <text>', 'seed of every tie and name; the same seed and log give the same decisions')
    .option('--split', 'each app a process of its own over the event store; restarted when it dies')
    .option(
      '--event-store <url>',
      'use this EventStoreDB (esdb://…) instead of the embedded store; with a password better in KUBEREEL_EVENT_STORE, or:',
    )
    .option('--event-store-file <file>', 'a file that holds its address')
    .option('--kubeconfig <file>', 'write the kubeconfig there; into an existing file the context is added, not switched to')
    .option('--ready-file <file>', 'keep a JSON file there: url, kubeconfig, pid, and the pid of each app')
    .option('--durability <kind>', 'default: survives kill -9; full: survives power loss', 'default')
    .option('--clock <speed>', 'real, ×N for N times as fast, or ×N,from=7d: so until it has come from 7 days ago to now', 'real')
    .option('--kubelet-config <file>', 'a KubeletConfiguration file: what pods are evicted for, how many images are pulled at once')
    .option('--scheduler-config <file>', 'a KubeSchedulerConfiguration file')
    .option('--scheduler-plugins <file...>', 'JavaScript modules with scheduler plugins, to be enabled in that file')
    .option(
      '--service-account-issuer <url>',
      'who issues the tokens of service accounts (default: https://kubernetes.default.svc.cluster.local)',
    )
    .option(
      '--enable-admission-plugins <list>',
      'plug-ins of admission beside those that are on by default, by the names that kube-apiserver has for them',
    )
    .option('--disable-admission-plugins <list>', 'plug-ins of admission that are to be off')
    .option(
      '--admission-control-config-file <file>',
      'an AdmissionConfiguration: limited resources of ResourceQuota, defaults and exemptions of PodSecurity',
    )
    .option('--audit-policy-file <file>', 'an audit.k8s.io/v1 Policy: which requests are recorded, and how much of them')
    .option('--audit-log-path <file>', 'where they are recorded; - is standard output')
    .option('--audit-log-format <format>', 'json, or legacy: one line of text each (default: json)')
    .option('--audit-log-maxsize <megabytes>', 'size of the file before the next one is begun (default: 100)')
    .option('--audit-log-maxbackup <number>', 'older files that are kept; 0 for all (default: 0)')
    .option('--audit-log-maxage <days>', 'days for which older files are kept; 0 for ever (default: 0)')
    .option('--max-requests-inflight <number>', 'requests that only read, answered at once; more are told 429 (default: any number)')
    .option('--max-mutating-requests-inflight <number>', 'the same of requests that change something')
    .option('--kwok-files <folder>', 'where Logs and ClusterLogs objects of kwok may name files; without it they name none')
    .option('--no-metrics-server', 'begin a new cluster without the metrics API: kubectl top needs a metrics server of your own then')
    .option('--no-snapshots', 'always rebuild from the first event')
    .action(async (flags: UpFlags) => {
      const { up } = await import('../up/up.js');
      await up(flags);
    });
}
