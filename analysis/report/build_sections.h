// Facts -> sections of the report, one function per section. Parts of buildReport().
#pragma once

#include "analysis/facts/profile_facts.h"
#include "analysis/report/report.h"

namespace perfscope::build {

TrustReport trust(const ProfileFacts& facts);
ContractReport contract(const ProfileFacts& facts);
OverheadReport overhead(const ProfileFacts& facts);
std::vector<ProcessReport> processes(const ProfileFacts& facts);
std::vector<DeviceReport> devices(const ProfileFacts& facts);
StepsReport steps(const ProfileFacts& facts);
std::vector<KernelReport> kernels(const ProfileFacts& facts);
GapsReport gaps(const ProfileFacts& facts);
CommunicationReport communication(const ProfileFacts& facts);
MemoryReport memory(const ProfileFacts& facts);
UtilisationReport utilisation(const ProfileFacts& facts, const std::vector<KernelReport>& kernels);
std::vector<std::string> conventions(const ProfileFacts& facts);

}  // namespace perfscope::build
