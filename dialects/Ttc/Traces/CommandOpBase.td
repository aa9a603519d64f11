// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all commands have in common.
#ifndef TTC_COMMANDOPBASE_TD
#define TTC_COMMANDOPBASE_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/Interfaces/ExecutionInterfaces.td"
include "dialects/Ttc/Interfaces/SerializationInterfaces.td"

// `overridden`, `accessOverridden`: the interfaces' methods that have a default and that the op
// defines itself.
class Ttc_CommandOp<string mnemonic, list<Trait> traits = [], list<string> overridden = [],
                    list<string> accessOverridden = []>
    : Ttc_Op<"cmd." # mnemonic, !listconcat([
        HasParent<"TraceOp">,
        DeclareOpInterfaceMethods<Ttc_BufferAccessOpInterface, accessOverridden>,
        DeclareOpInterfaceMethods<Ttc_CommandOpInterface, overridden>,
        DeclareOpInterfaceMethods<Ttc_CommandSerializationOpInterface>], traits)>;

#endif // TTC_COMMANDOPBASE_TD
