/**
 * Field names and order of the API server's internal types (Kubernetes v1.34), as its error texts show whole values: facts,
 * read off recorded answers and the published types. Notation: `Field=jsonName:kind`, the JSON name only where it is not the
 * field's own with its first word in lower case. Kinds: `s` text, `i` number, `b` boolean, `p` optional simple value, `l` list of
 * simple values, `m` map, `q` quantity, `r` map of quantities, `j` as it is in JSON, `t` label selector; with a type behind
 * them: `S` struct, `P` optional struct, `L` list of structs.
 */
export const goShapeData: Record<string, string> = {
  Taint: 'Key:s Value:s Effect:s TimeAdded:p',
  NodeAddress: 'Type:s Address:s',
  PodDisruptionBudgetSpec: 'MinAvailable:p Selector:t MaxUnavailable:p UnhealthyPodEvictionPolicy:p',
  DeploymentStrategy: 'Type:s RollingUpdate:P/RollingUpdateDeployment',
  RollingUpdateDeployment: 'MaxUnavailable:j MaxSurge:j',
  ServicePort: 'Name:s Protocol:s AppProtocol:p Port:i TargetPort:j NodePort:i',
  PodIP: 'IP:s',
  HostIP: 'IP:s',
  PodSpec:
    'Volumes:L/Volume InitContainers:L/Container Containers:L/Container EphemeralContainers:L/EphemeralContainer RestartPolicy:s ' +
    'TerminationGracePeriodSeconds:p ActiveDeadlineSeconds:p DNSPolicy:s NodeSelector:m ServiceAccountName:s AutomountServiceAccountToken:p ' +
    'NodeName:s SecurityContext:P/PodSecurityContext ImagePullSecrets:L/LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN:p ' +
    'Affinity:P/Affinity SchedulerName:s Tolerations:L/Toleration HostAliases:L/HostAlias PriorityClassName:s Priority:p PreemptionPolicy:p ' +
    'DNSConfig:P/PodDNSConfig ReadinessGates:L/PodReadinessGate RuntimeClassName:p Overhead:r EnableServiceLinks:p ' +
    'TopologySpreadConstraints:L/TopologySpreadConstraint OS:P/PodOS SchedulingGates:L/PodSchedulingGate ResourceClaims:L/PodResourceClaim ' +
    'Resources:P/ResourceRequirements HostnameOverride:p',
  PodSecurityContext:
    'HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:p HostUsers:p SELinuxOptions:P/SELinuxOptions ' +
    'WindowsOptions:P/WindowsSecurityContextOptions RunAsUser:p RunAsGroup:p RunAsNonRoot:p SupplementalGroups:l SupplementalGroupsPolicy:p ' +
    'FSGroup:p FSGroupChangePolicy:p Sysctls:L/Sysctl SeccompProfile:P/SeccompProfile AppArmorProfile:P/AppArmorProfile SELinuxChangePolicy:p',
  SELinuxOptions: 'User:s Role:s Type:s Level:s',
  WindowsSecurityContextOptions: 'GMSACredentialSpecName:p GMSACredentialSpec:p RunAsUserName:p HostProcess:p',
  Sysctl: 'Name:s Value:s',
  SeccompProfile: 'Type:s LocalhostProfile:p',
  AppArmorProfile: 'Type:s LocalhostProfile:p',
  SecurityContext:
    'Capabilities:P/Capabilities Privileged:p SELinuxOptions:P/SELinuxOptions WindowsOptions:P/WindowsSecurityContextOptions RunAsUser:p ' +
    'RunAsGroup:p RunAsNonRoot:p ReadOnlyRootFilesystem:p AllowPrivilegeEscalation:p ProcMount:p SeccompProfile:P/SeccompProfile ' +
    'AppArmorProfile:P/AppArmorProfile',
  Capabilities: 'Add:l Drop:l',
  LocalObjectReference: 'Name:s',
  Toleration: 'Key:s Operator:s Value:s Effect:s TolerationSeconds:p',
  HostAlias: 'IP:s Hostnames:l',
  PodDNSConfig: 'Nameservers:l Searches:l Options:L/PodDNSConfigOption',
  PodDNSConfigOption: 'Name:s Value:p',
  PodReadinessGate: 'ConditionType:s',
  PodOS: 'Name:s',
  PodSchedulingGate: 'Name:s',
  PodResourceClaim: 'Name:s ResourceClaimName:p ResourceClaimTemplateName:p',
  ResourceRequirements: 'Limits:r Requests:r Claims:L/ResourceClaim',
  ResourceClaim: 'Name:s Request:s',
  TopologySpreadConstraint:
    'MaxSkew:i TopologyKey:s WhenUnsatisfiable:s LabelSelector:t MinDomains:p NodeAffinityPolicy:p NodeTaintsPolicy:p MatchLabelKeys:l',
  Affinity: 'NodeAffinity:P/NodeAffinity PodAffinity:P/PodAffinity PodAntiAffinity:P/PodAffinity',
  NodeAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:P/NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:L/PreferredSchedulingTerm',
  NodeSelector: 'NodeSelectorTerms:L/NodeSelectorTerm',
  NodeSelectorTerm: 'MatchExpressions:L/NodeSelectorRequirement MatchFields:L/NodeSelectorRequirement',
  NodeSelectorRequirement: 'Key:s Operator:s Values:l',
  PreferredSchedulingTerm: 'Weight:i Preference:S/NodeSelectorTerm',
  PodAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:L/PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:L/WeightedPodAffinityTerm',
  PodAffinityTerm: 'LabelSelector:t Namespaces:l TopologyKey:s NamespaceSelector:t MatchLabelKeys:l MismatchLabelKeys:l',
  WeightedPodAffinityTerm: 'Weight:i PodAffinityTerm:S/PodAffinityTerm',
  Container:
    'Name:s Image:s Command:l Args:l WorkingDir:s Ports:L/ContainerPort EnvFrom:L/EnvFromSource Env:L/EnvVar ' +
    'Resources:S/ResourceRequirements ResizePolicy:L/ContainerResizePolicy RestartPolicy:p RestartPolicyRules:l VolumeMounts:L/VolumeMount ' +
    'VolumeDevices:L/VolumeDevice LivenessProbe:P/Probe ReadinessProbe:P/Probe StartupProbe:P/Probe Lifecycle:P/Lifecycle ' +
    'TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:P/SecurityContext Stdin:b StdinOnce:b TTY:b',
  ContainerPort: 'Name:s HostPort:i ContainerPort:i Protocol:s HostIP:s',
  ContainerResizePolicy: 'ResourceName:s RestartPolicy:s',
  EnvFromSource: 'Prefix:s ConfigMapRef:P/NamedSource SecretRef:P/NamedSource',
  NamedSource: 'Name:s Optional:p',
  EnvVar: 'Name:s Value:s ValueFrom:P/EnvVarSource',
  EnvVarSource:
    'FieldRef:P/ObjectFieldSelector ResourceFieldRef:P/ResourceFieldSelector ConfigMapKeyRef:P/KeySelector SecretKeyRef:P/KeySelector FileKeyRef:p',
  ObjectFieldSelector: 'APIVersion:s FieldPath:s',
  ResourceFieldSelector: 'ContainerName:s Resource:s Divisor:q',
  KeySelector: 'Name:s Key:s Optional:p',
  VolumeMount: 'Name:s ReadOnly:b RecursiveReadOnly:p MountPath:s SubPath:s MountPropagation:p SubPathExpr:s',
  VolumeDevice: 'Name:s DevicePath:s',
  Probe:
    'Exec:P/ExecAction HTTPGet:P/HTTPGetAction TCPSocket:P/TCPSocketAction GRPC:P/GRPCAction InitialDelaySeconds:i TimeoutSeconds:i ' +
    'PeriodSeconds:i SuccessThreshold:i FailureThreshold:i TerminationGracePeriodSeconds:p',
  ExecAction: 'Command:l',
  HTTPGetAction: 'Path:s Port:j Host:s Scheme:s HTTPHeaders:L/Sysctl',
  TCPSocketAction: 'Port:j Host:s',
  GRPCAction: 'Port:i Service:p',
  Lifecycle: 'PostStart:P/LifecycleHandler PreStop:P/LifecycleHandler StopSignal:p',
  LifecycleHandler: 'Exec:P/ExecAction HTTPGet:P/HTTPGetAction TCPSocket:P/TCPSocketAction Sleep:P/SleepAction',
  SleepAction: 'Seconds:i',
  Volume:
    'Name:s HostPath:P/HostPathVolumeSource EmptyDir:P/EmptyDirVolumeSource GCEPersistentDisk:p AWSElasticBlockStore:p GitRepo:p ' +
    'Secret:P/SecretVolumeSource NFS:P/NFSVolumeSource ISCSI:p Glusterfs:p PersistentVolumeClaim:P/ClaimVolumeSource RBD:p Quobyte:p ' +
    'FlexVolume:p Cinder:p CephFS=cephfs:p Flocker:p DownwardAPI:P/DownwardAPIVolumeSource FC:p AzureFile:p ConfigMap:P/ConfigMapVolumeSource ' +
    'VsphereVolume:p AzureDisk:p PhotonPersistentDisk:p Projected:P/ProjectedVolumeSource PortworxVolume:p ScaleIO:p StorageOS=storageos:p ' +
    'CSI:p Ephemeral:p Image:p',
  HostPathVolumeSource: 'Path:s Type:p',
  EmptyDirVolumeSource: 'Medium:s SizeLimit:p',
  SecretVolumeSource: 'SecretName:s Items:L/KeyToPath DefaultMode:p Optional:p',
  ConfigMapVolumeSource: 'Name:s Items:L/KeyToPath DefaultMode:p Optional:p',
  NFSVolumeSource: 'Server:s Path:s ReadOnly:b',
  ClaimVolumeSource: 'ClaimName:s ReadOnly:b',
  KeyToPath: 'Key:s Path:s Mode:p',
  DownwardAPIVolumeSource: 'Items:L/DownwardAPIVolumeFile DefaultMode:p',
  DownwardAPIVolumeFile: 'Path:s FieldRef:P/ObjectFieldSelector ResourceFieldRef:P/ResourceFieldSelector Mode:p',
  ProjectedVolumeSource: 'Sources:L/VolumeProjection DefaultMode:p',
  VolumeProjection:
    'Secret:P/ProjectedSource DownwardAPI:P/DownwardAPIProjection ConfigMap:P/ProjectedSource ServiceAccountToken:P/ServiceAccountTokenProjection ' +
    'ClusterTrustBundle:p PodCertificate:p',
  ProjectedSource: 'Name:s Items:L/KeyToPath Optional:p',
  DownwardAPIProjection: 'Items:L/DownwardAPIVolumeFile',
  ServiceAccountTokenProjection: 'Audience:s ExpirationSeconds:i Path:s',
};

goShapeData.EphemeralContainer = `${goShapeData.Container} TargetContainerName:s`;
